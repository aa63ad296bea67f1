// Which documents reach the server: of Python and MLIR only those that are kernels, from the moment on that they are.

import * as vscode from 'vscode';
import {
  DidOpenTextDocumentNotification,
  type LanguageClient,
  type Middleware,
} from 'vscode-languageclient/node';

import { holdsPto, importsNki } from './languages';

/** Whether a document is one of ours, by its language and, where others share that, its text. */
export function isOurs(document: vscode.TextDocument): boolean {
  switch (document.languageId) {
    case 'python':
      return importsNki(document.getText());
    case 'mlir':
      return document.fileName.endsWith('.pto') || holdsPto(document.getText());
    default:
      return true;
  }
}

/** The questions about one document, which is the first that they are asked with; the last is who asks the server. */
const QUESTIONS = [
  'provideCallHierarchyIncomingCalls',
  'provideCodeActions',
  'provideCodeLenses',
  'provideCompletionItem',
  'provideDefinition',
  'provideDiagnostics',
  'provideDocumentHighlights',
  'provideDocumentRangeSemanticTokens',
  'provideDocumentSemanticTokens',
  'provideDocumentSemanticTokensEdits',
  'provideDocumentSymbols',
  'provideFoldingRanges',
  'provideHover',
  'provideInlayHints',
  'provideReferences',
  'provideRenameEdits',
  'prepareCallHierarchy',
  'prepareRename',
  'provideSelectionRanges',
  'provideSignatureHelp',
] as const;

type Ask = (...given: unknown[]) => unknown;

/** Lets pass what is about documents that the server knows. A document that becomes one of ours while it is typed is opened then. */
export class Ours {
  private readonly opened = new Set<string>();

  constructor(private readonly client: () => LanguageClient) {}

  /** What passes, of what `inner` lets pass. */
  middleware(inner: Middleware): Middleware {
    const given = inner as Record<string, Ask | undefined>;
    const questions: Record<string, Ask> = {};
    for (const question of QUESTIONS) {
      const ask = given[question];
      questions[question] = (...words) => {
        if (!this.knows(words[0])) return null;
        if (ask !== undefined) return ask(...words);
        return (words.at(-1) as Ask)(...words.slice(0, -1));
      };
    }
    return {
      ...inner,
      ...(questions as Middleware),
      didOpen: async (document, next) => {
        if (!isOurs(document)) return;
        this.opened.add(document.uri.toString());
        await next(document);
      },
      didChange: async (change, next) => {
        const { document } = change;
        if (this.knows(document)) {
          await next(change);
        } else if (isOurs(document)) {
          this.opened.add(document.uri.toString());
          const client = this.client();
          const opened = client.code2ProtocolConverter.asOpenTextDocumentParams(document);
          await client.sendNotification(DidOpenTextDocumentNotification.type, opened);
        }
      },
      didSave: async (document, next) => {
        if (this.knows(document)) await next(document);
      },
      didClose: async (document, next) => {
        if (!this.opened.delete(document.uri.toString())) return;
        await next(document);
      },
    };
  }

  /** Whether the server knows what a question is about: a document or its address. What is neither passes. */
  private knows(about: unknown): boolean {
    if (about instanceof vscode.Uri) return this.opened.has(about.toString());
    const uri = (about as { readonly uri?: unknown } | null | undefined)?.uri;
    return !(uri instanceof vscode.Uri) || this.opened.has(uri.toString());
  }
}
