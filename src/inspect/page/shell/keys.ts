/** Keys of the page, for its help. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'Go to the search field'],
  ['↓ ↑ or j k', 'Next and previous row'],
  ['← →', 'Same row of the other list'],
  ['Enter', 'Open the tool'],
  ['Space or e', 'Explain the row'],
  ['Esc', 'Back'],
  ['u, Shift u', 'Take back an edit, and do it again'],
  ['1 … 8', 'Go to a view'],
  ['t', 'Light, dark, or as the system'],
  ['?', 'These keys'],
];

/** What a key asks for; undefined where it asks for nothing. */
export type Command =
  | { readonly type: 'search' | 'help' | 'theme' | 'undo' | 'redo' | 'back' }
  | { readonly type: 'view'; readonly place: number }
  | { readonly type: 'move'; readonly by: 1 | -1 }
  | { readonly type: 'across'; readonly by: 1 | -1 }
  | { readonly type: 'end'; readonly isLast: boolean }
  | { readonly type: 'explain' };

/** What is under the fingers when a key is pressed. */
export interface KeyPlace {
  /** Whether text is typed there. */
  readonly isTyping: boolean;
  /** Whether it is the search field, from which the arrows lead into the results. */
  readonly isSearch: boolean;
  /** Whether that field has no text: no query begins with the keys `/` and `?`. */
  readonly isEmpty: boolean;
  /** Whether it is a row of a list. */
  readonly isRow: boolean;
}

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

const SIMPLE: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['/', { type: 'search' }],
  ['?', { type: 'help' }],
  ['t', { type: 'theme' }],
  ['u', { type: 'undo' }],
  ['U', { type: 'redo' }],
  ['j', { type: 'move', by: 1 }],
  ['k', { type: 'move', by: -1 }],
]);
const ARROWS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['ArrowDown', { type: 'move', by: 1 }],
  ['ArrowUp', { type: 'move', by: -1 }],
]);
const IN_ROWS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['ArrowRight', { type: 'across', by: 1 }],
  ['ArrowLeft', { type: 'across', by: -1 }],
  ['Home', { type: 'end', isLast: false }],
  ['End', { type: 'end', isLast: true }],
  [' ', { type: 'explain' }],
  ['e', { type: 'explain' }],
]);

const DIGITS: readonly string[] = [...'123456789'];

/** What a pressed key asks for at its place. Keys with Ctrl and the like are the browser's. */
export function commandOf(
  { key, ctrlKey, metaKey, altKey }: Pressed,
  { isTyping, isSearch, isEmpty, isRow }: KeyPlace,
): Command | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === 'Escape') return { type: 'back' };
  if (isSearch && key === 'ArrowDown') return ARROWS.get(key);
  if (isSearch && isEmpty && (key === '/' || key === '?')) return SIMPLE.get(key);
  if (isTyping) return undefined;
  const place = DIGITS.indexOf(key);
  if (place >= 0) return { type: 'view', place };
  return SIMPLE.get(key) ?? ARROWS.get(key) ?? (isRow ? IN_ROWS.get(key) : undefined);
}
