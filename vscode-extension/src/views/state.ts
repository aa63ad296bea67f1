// What a view shows, as a value that events change: pure, so that every turn of it can be tested.
//
// A picture stays while the text is broken, and says that it is the last good one. It goes when another file is opened that
// has no kernel, or when the server is gone.

/** Why a kernel has no picture: a place that can be gone to. */
export interface Obstacle {
  readonly reason: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A kernel as the server describes it: complete, or with what is in the way. */
export type Answer<T> =
  | { readonly kind: 'outside' }
  | { readonly kind: 'whole'; readonly kernel: string; readonly content: T }
  | { readonly kind: 'unresolved'; readonly kernel: string; readonly obstacles: readonly Obstacle[] };

export interface Picture<T> {
  readonly document: string;
  readonly kernel: string;
  readonly content: T;
}

export interface State<T> {
  /** The last good picture. */
  readonly picture: Picture<T> | null;
  /** Why the picture is not that of the text, if it is not. */
  readonly stale: string | null;
  /** What is in the way of a picture. */
  readonly obstacles: readonly Obstacle[];
  /** What is said where there is no picture. */
  readonly notice: string;
}

export type Event<T> =
  | { readonly kind: 'answered'; readonly document: string; readonly answer: Answer<T> }
  | { readonly kind: 'failed'; readonly document: string; readonly reason: string }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'server'; readonly state: 'starting' | 'gone' };

export const NO_KERNEL = 'No kernel here. Open a file with kernels and put the cursor into one.';
const STARTING = 'The language server is starting.';
const GONE = 'The language server is not running.';

export function initial<T>(): State<T> {
  return { picture: null, stale: null, obstacles: [], notice: STARTING };
}

/** The state after an event. */
export function next<T>(state: State<T>, event: Event<T>): State<T> {
  switch (event.kind) {
    case 'answered':
      return answered(state, event.document, event.answer);
    case 'failed':
      // Another question is under way, or the next keystroke asks again: the picture stays.
      return state.picture === null
        ? { ...state, notice: event.reason }
        : { ...state, stale: `Last good picture: ${event.reason}` };
    case 'elsewhere':
      return state.picture === null ? { ...state, obstacles: [], notice: NO_KERNEL } : state;
    case 'server':
      return event.state === 'starting' ? started(state) : { ...initial<T>(), notice: GONE };
  }
}

function started<T>(state: State<T>): State<T> {
  return state.picture === null ? { ...state, notice: STARTING } : state;
}

function answered<T>(state: State<T>, document: string, answer: Answer<T>): State<T> {
  const kept = state.picture?.document === document ? state.picture : null;
  switch (answer.kind) {
    case 'whole': {
      const picture = { document, kernel: answer.kernel, content: answer.content };
      return { picture, stale: null, obstacles: [], notice: '' };
    }
    case 'outside':
      // Between two kernels the last one stays in sight.
      return kept === null ? { ...initial<T>(), notice: NO_KERNEL } : { ...state, obstacles: [] };
    case 'unresolved': {
      const known = kept?.kernel === answer.kernel ? kept : null;
      return {
        picture: known,
        stale: known === null ? null : 'Last good picture:',
        obstacles: answer.obstacles,
        notice: `The cycles of ${answer.kernel} are unknown.`,
      };
    }
  }
}
