// The page of a rule, asked of the language server: no network is needed.

import * as vscode from 'vscode';
import type { StaticFeature } from 'vscode-languageclient/node';

import type { Server } from './client';
import { readRulePage } from './protocol';
import { RULE_SCHEME, ruleOf } from './ruleAddress';

/** The server's command that shows a page; the extension answers it by itself. */
export const EXPLAIN = 'visa.explainRule';

/** Tells the server that links to rules may lead to pages of ours. */
export const rulePagesFeature: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const { experimental } = capabilities as { experimental?: object };
    capabilities.experimental = { ...experimental, visaRulePages: RULE_SCHEME };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

/** Pages of rules as documents. */
export class RulePages implements vscode.TextDocumentContentProvider {
  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const rule = ruleOf(uri.path);
    // Kernels of a page are for the library of the document that it is asked from.
    const parameters = {
      rule,
      ...(uri.query === '' ? {} : { textDocument: { uri: uri.query } }),
    };
    if (this.server.status.kind !== 'ready') {
      return `# ${rule}\n\nThe language server does not run, so that the page cannot be shown.\n`;
    }
    const answer = await this.server.ask('visa/rulePage', parameters, token).catch((error: unknown) => {
      this.server.log.warn(`the page of ${rule}: ${String(error)}`);
      return undefined;
    });
    return readRulePage(answer) ?? `# ${rule}\n\nThe language server has no page of this rule.\n`;
  }
}

/** Shows the page of a rule beside the text. */
export async function showRulePage(rule: string, document: string | undefined): Promise<void> {
  const uri = vscode.Uri.from({
    scheme: RULE_SCHEME,
    path: `/${rule}.md`,
    ...(document === undefined ? {} : { query: document }),
  });
  await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
}
