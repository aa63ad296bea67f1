// Who a view talks to: the extension, or the page that it is part of.

import type { FromView, ToView } from '../views/messages';

/** A view's own memory over reloads. */
export interface Kept {
  /** Whether the details are shown; without it, where there is room for them. */
  readonly details?: boolean;
}

export interface Host<T> {
  /** Whether it can change the text. */
  readonly edits: boolean;
  say(message: FromView): void;
  hear(listener: (message: ToView<T>) => void): void;
  kept(): Kept;
  keep(kept: Kept): void;
}

/** The extension, through the editor. */
export function extensionHost<T>(): Host<T> {
  const code = acquireVsCodeApi<Kept>();
  return {
    edits: true,
    say: (message) => {
      code.postMessage(message);
    },
    hear: (listener) => {
      window.addEventListener('message', (event: MessageEvent<ToView<T>>) => {
        listener(event.data);
      });
    },
    kept: () => code.getState() ?? {},
    keep: (kept) => {
      code.setState(kept);
    },
  };
}
