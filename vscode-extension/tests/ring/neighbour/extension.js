// Answers about Rust files as rust-analyzer would, from the text alone: colours, hovers, completion, rename.
const vscode = require('vscode');

const RUST = { language: 'rust', scheme: 'file' };
const COLOURED = /\b(ctx|main)\b/g;

const colours = {
  legend: new vscode.SemanticTokensLegend(['string']),
  provideDocumentSemanticTokens(document) {
    const builder = new vscode.SemanticTokensBuilder(colours.legend);
    for (let line = 0; line < document.lineCount; line += 1)
      for (const found of document.lineAt(line).text.matchAll(COLOURED))
        builder.push(line, found.index, found[0].length, 0, 0);
    return builder.build();
  },
};

function hover(document, position) {
  const word = document.getWordRangeAtPosition(position);
  return word && new vscode.Hover(`neighbour: ${document.getText(word)}`);
}

function completions() {
  return ['fetch', 'collect', 'commit', 'neighbourly'].map((name) => {
    const item = new vscode.CompletionItem(name, vscode.CompletionItemKind.Method);
    item.detail = 'of the neighbour';
    return item;
  });
}

/** Names of Rust, the declaration of an axis among them; what is in a macro of mappings it does not know, and says so. */
const renames = {
  prepareRename(document, position) {
    const word = document.getWordRangeAtPosition(position);
    const declared = /^axes!/.test(document.lineAt(position.line).text);
    if (word && (declared || /^[a-z]/.test(document.getText(word)))) return word;
    throw new Error('no references found at position');
  },
  provideRenameEdits(document, position, name) {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, renames.prepareRename(document, position), name);
    return edit;
  },
};

/** Whether another extension says something of an axis of the text that is shown: its server has answered then. */
async function otherAnswers() {
  const document = vscode.window.activeTextEditor?.document;
  const at = document?.getText().indexOf('axes![') ?? -1;
  if (at < 0) return false;
  const place = document.positionAt(at + 'axes!['.length);
  const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, place);
  return hovers.length > 0;
}

exports.activate = async (context) => {
  const last = vscode.workspace.getConfiguration('neighbour').get('last', false);
  while (last && !(await otherAnswers())) await new Promise((resolve) => setTimeout(resolve, 100));
  const { languages } = vscode;
  context.subscriptions.push(
    languages.registerDocumentSemanticTokensProvider(RUST, colours, colours.legend),
    languages.registerHoverProvider(RUST, { provideHover: hover }),
    languages.registerCompletionItemProvider(RUST, { provideCompletionItems: completions }, '.'),
    languages.registerRenameProvider(RUST, renames),
  );
  vscode.window.setStatusBarMessage('neighbour ready');
};
