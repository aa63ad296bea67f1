// Who is asked first for a rename.
//
// An axis is declared in `axes![..]` and used in `m![..]`. rust-analyzer follows the declaration, as the type that it expands to, and none
// of the uses: where it is asked first, it renames the declaration alone. The editor asks the provider that was registered
// last, and the next one where that refuses. So ours is registered again behind the other's, and refuses what is not ours.

import * as vscode from 'vscode';

import { IN_RUST, type Server } from './client';
import { OTHERS } from './otherExtensions';

export class Renames implements vscode.RenameProvider, vscode.Disposable {
  private registered: vscode.Disposable | undefined;
  private readonly listening: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.listening = [
      server.onChange(({ kind }) => {
        if (kind === 'ready') void this.afterOthers();
      }),
      // Another extension may have started its own server again since.
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.languageId === 'rust') this.register();
      }),
      vscode.extensions.onDidChange(() => void this.afterOthers()),
    ];
  }

  prepareRename(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): vscode.ProviderResult<vscode.Range | { range: vscode.Range; placeholder: string }> {
    const ours = this.server.renames(document);
    if (ours?.prepareRename === undefined) throw new Error('no language server of VISA runs');
    return ours.prepareRename(document, position, token);
  }

  provideRenameEdits(
    document: vscode.TextDocument,
    position: vscode.Position,
    name: string,
    token: vscode.CancellationToken,
  ): vscode.ProviderResult<vscode.WorkspaceEdit> {
    return this.server.renames(document)?.provideRenameEdits(document, position, name, token);
  }

  dispose(): void {
    for (const one of this.listening) one.dispose();
    this.registered?.dispose();
  }

  private async afterOthers(): Promise<void> {
    this.register();
    for (const id of OTHERS) {
      const other = vscode.extensions.getExtension(id);
      if (other === undefined) continue;
      // It has registered its own by then, or cannot.
      await Promise.resolve(other.activate()).catch(() => undefined);
      this.register();
    }
  }

  private register(): void {
    const before = this.registered;
    this.registered = vscode.languages.registerRenameProvider(IN_RUST, this);
    before?.dispose();
  }
}
