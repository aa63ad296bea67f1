// Tasks: `visa-lint check` over a folder, its findings read by the problem matcher of the package.

import { existsSync } from 'node:fs';

import * as vscode from 'vscode';

import type { Server } from './client';
import { bundled } from './server/find';
import { checkArguments, linterOf } from './server/linter';

/** The type of the tasks, as `tasks.json` names it. */
const TYPE = 'visa-lint';

/** What `tasks.json` may say of one. */
interface Definition extends vscode.TaskDefinition {
  readonly args?: readonly string[];
}

/** What reads a task's findings: nothing where the server shows those of all files already, so that none is shown twice. */
function matchers(folder: vscode.WorkspaceFolder, served: boolean): string[] {
  const settings = vscode.workspace.getConfiguration('visa', folder);
  const all =
    settings.get<boolean>('diagnostics.enable') === true && settings.get('diagnostics.scope') === 'workspace';
  return served && all ? [] : ['$visa-lint'];
}

export class Tasks implements vscode.TaskProvider {
  /** The program of the extension's own folder. */
  private readonly bundled: string;

  constructor(
    private readonly server: Server,
    extension: vscode.Uri,
  ) {
    this.bundled = bundled({ platform: process.platform, extension: extension.fsPath });
  }

  provideTasks(): vscode.Task[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders.map((folder) => this.task({ type: TYPE, args: ['.'] }, folder, 'check'));
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const definition = task.definition as Definition;
    const { scope } = task;
    if (scope === undefined || typeof scope === 'number') return undefined;
    return this.task(definition, scope, task.name);
  }

  private task(definition: Definition, folder: vscode.WorkspaceFolder, name: string): vscode.Task {
    const { status } = this.server;
    const server = status.kind === 'ready' ? status.server : undefined;
    const program = linterOf(server, this.bundled, process.platform, existsSync);
    const run = new vscode.ProcessExecution(program, checkArguments(definition.args), {
      cwd: folder.uri.fsPath,
    });
    const task = new vscode.Task(definition, folder, name, TYPE, run, matchers(folder, server !== undefined));
    task.group = vscode.TaskGroup.Build;
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, clear: true };
    return task;
  }
}
