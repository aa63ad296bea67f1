// A kernel to try the extension with, in a document that is on no disk.

import * as vscode from 'vscode';

/** Opens the kernel of the package. */
export async function openExample(root: vscode.Uri): Promise<void> {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, 'media', 'example.rs'));
  const content = new TextDecoder().decode(bytes);
  const document = await vscode.workspace.openTextDocument({ language: 'rust', content });
  await vscode.window.showTextDocument(document);
}
