// A view of the panel: a page that is given states and says where its reader wants to go.

import { randomBytes } from 'node:crypto';

import * as vscode from 'vscode';

import { fromView, type FromView, type ToView } from './messages';

/** What a page is made of. */
export interface Page {
  /** The view's name in `package.json`. */
  readonly id: string;
  /** Its script and its words for a screen reader. */
  readonly script: string;
  readonly title: string;
}

export class View<T> implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private last: Extract<ToView<T>, { type: 'state' }> | undefined;
  private readonly shown = new vscode.EventEmitter<void>();
  private readonly said = new vscode.EventEmitter<FromView>();

  /** The view came into sight. */
  readonly onShown = this.shown.event;
  /** The page said something, other than that it is ready. */
  readonly onSaid = this.said.event;

  constructor(
    private readonly page: Page,
    private readonly extension: vscode.Uri,
  ) {}

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const root = vscode.Uri.joinPath(this.extension, 'dist', 'webview');
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    view.webview.html = this.html(view.webview, root);
    view.webview.onDidReceiveMessage((value: unknown) => {
      const message = fromView(value);
      if (message?.type === 'ready') this.resend();
      else if (message !== null) this.said.fire(message);
    });
    view.onDidChangeVisibility(() => {
      if (view.visible) this.shown.fire();
    });
    view.onDidDispose(() => {
      this.view = undefined;
    });
    this.shown.fire();
  }

  /** Gives the page a state, or keeps it until there is a page. */
  show(message: Extract<ToView<T>, { type: 'state' }>): void {
    this.last = message;
    this.resend();
  }

  /** Tells the page which operations the cursor is in. */
  mark(here: readonly number[]): void {
    if (this.last === undefined) return;
    this.last = { ...this.last, here };
    void this.view?.webview.postMessage({ type: 'here', here } satisfies ToView<T>);
  }

  dispose(): void {
    this.shown.dispose();
    this.said.dispose();
  }

  private resend(): void {
    if (this.last !== undefined) void this.view?.webview.postMessage(this.last);
  }

  /** A page that can load only its own script and style. */
  private html(webview: vscode.Webview, root: vscode.Uri): string {
    const nonce = randomBytes(16).toString('hex');
    const script = webview.asWebviewUri(vscode.Uri.joinPath(root, this.page.script));
    const style = webview.asWebviewUri(vscode.Uri.joinPath(root, 'view.css'));
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${this.page.title}</title>
<link rel="stylesheet" href="${style.toString()}">
</head>
<body>
<script nonce="${nonce}" src="${script.toString()}"></script>
</body>
</html>`;
  }
}
