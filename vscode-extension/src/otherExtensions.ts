// Beside another extension for Rust: what it shows stays, and nothing is shown twice.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

/** Extensions that complete the methods and variants of all Rust code. */
export const OTHERS = ['rust-lang.rust-analyzer'];

/** What these complete as well. */
const THEIRS = new Set<vscode.CompletionItemKind | undefined>([
  vscode.CompletionItemKind.Method,
  vscode.CompletionItemKind.EnumMember,
]);

function setting(document: vscode.TextDocument, name: string): unknown {
  return vscode.workspace.getConfiguration('visa', document).get(name);
}

/** Semantic colours come from one extension a file: where the reader does not want ours, another one's are taken. */
function coloured(document: vscode.TextDocument): boolean {
  return setting(document, 'semanticTokens.enable') === true;
}

/** Whether methods and variants are completed, too. */
function completesMethods(document: vscode.TextDocument): boolean {
  switch (setting(document, 'completion.methods')) {
    case 'always':
      return true;
    case 'never':
      return false;
    default:
      return !OTHERS.some((id) => vscode.extensions.getExtension(id) !== undefined);
  }
}

/** What passes of the answers of the language server. */
export const beside: Middleware = {
  provideDocumentSemanticTokens: (document, token, next) =>
    coloured(document) ? next(document, token) : null,
  provideDocumentRangeSemanticTokens: (document, range, token, next) =>
    coloured(document) ? next(document, range, token) : null,
  provideCompletionItem: async (document, position, context, token, next) => {
    const found = await next(document, position, context, token);
    if (!found || completesMethods(document)) return found;
    const ours = (items: vscode.CompletionItem[]) => items.filter(({ kind }) => !THEIRS.has(kind));
    return Array.isArray(found)
      ? ours(found)
      : new vscode.CompletionList(ours(found.items), found.isIncomplete);
  },
};
