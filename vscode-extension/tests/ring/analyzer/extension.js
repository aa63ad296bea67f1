// The real rust-analyzer under the name of its extension, without all else that one does.
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const server = { command: process.env.VISA_RING_ANALYZER };
  const options = { documentSelector: [{ language: 'rust', scheme: 'file' }] };
  client = new LanguageClient('rust-analyzer', 'rust-analyzer', server, options);
  await client.start();
};

exports.deactivate = () => client?.stop();
