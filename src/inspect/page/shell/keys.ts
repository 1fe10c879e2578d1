import { useEffect, useRef } from 'preact/hooks';

/** Keys of the page, for its help. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'Go to the search field'],
  ['↓ ↑ or j k', 'Next and previous row'],
  ['Enter', 'Open what the row leads to'],
  ['Space or e', 'Explain the row'],
  ['Esc', 'Leave the field or the row, then the place'],
  ['u', 'Take back an edit'],
  ['c', 'The changes'],
  ['1 … 4', 'Go to a view'],
  ['?', 'These keys'],
];

/** The commands of keys that do not concern rows. */
export interface Commands {
  help(): void;
  undo(): void;
  changes(): void;
  /** Opens the view with the search field. */
  search(): void;
  view(place: number): void;
  back(): void;
}

const SIMPLE: Readonly<Record<string, Exclude<keyof Commands, 'view'>>> = {
  ...{ '?': 'help', u: 'undo', c: 'changes' },
};
const MOVES: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Handles the page's keys, wherever they are pressed. */
export function useKeys(commands: Commands): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { defaultPrevented, ctrlKey, metaKey, altKey } = event;
      if (defaultPrevented || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
      const focused = document.activeElement as HTMLElement | null;
      if (run(event.key, focused, latest.current)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Runs the command of a key. Returns false if it has none, so that the browser handles the key. */
function run(key: string, focused: HTMLElement | null, commands: Commands): boolean {
  const isTyping = focused?.matches('textarea, select, input:not([type=checkbox], [type=radio])') ?? false;
  const isSearch = focused?.matches('[data-search]') ?? false;
  const isEmpty = isSearch && (focused as HTMLInputElement).value === '';
  const isRow = focused?.matches('[data-row]') ?? false;
  if (key === 'Escape') return leave(focused, isTyping, isRow, commands);
  // No query begins with "/" or "?".
  if (isTyping && !(isSearch && key === 'ArrowDown') && !(isEmpty && (key === '/' || key === '?'))) return false;
  const move = MOVES[key];
  if (move !== undefined) return moveRow(focused, (at) => (at < 0 ? Math.min(0, move - 1) : at + move));
  if (isRow && (key === 'Home' || key === 'End')) return moveRow(focused, () => (key === 'Home' ? 0 : Infinity));
  if (isRow && (key === ' ' || key === 'e')) {
    const button = focused?.closest('[data-row-of]')?.querySelector<HTMLElement>('[data-explain]');
    button?.click();
    return Boolean(button);
  }
  if (key === '/') {
    if (!focusSearch()) commands.search();
    return true;
  }
  if (/^[1-9]$/.test(key)) commands.view(Number(key) - 1);
  else if (Object.hasOwn(SIMPLE, key)) commands[SIMPLE[key] ?? 'help']();
  else return false;
  return true;
}

/** The first press leaves the focused element, the next one goes back. */
function leave(focused: HTMLElement | null, isTyping: boolean, isRow: boolean, commands: Commands): boolean {
  if (isRow && focusSearch()) return true;
  if (isTyping) focused?.blur();
  else commands.back();
  return true;
}

/** Moves the focus along the rows of a list; above the first row is the search field. */
function moveRow(focused: HTMLElement | null, next: (at: number) => number): boolean {
  const list = focused?.closest('[data-list]') ?? document.querySelector('[data-list]:has([data-row])');
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].filter((row) => row.offsetParent);
  const at = focused ? rows.indexOf(focused) : -1;
  const to = Math.min(next(at), rows.length - 1);
  if (to < 0) return at === 0 ? focusSearch() : at > 0;
  rows[to]?.focus();
  rows[to]?.scrollIntoView({ block: 'nearest' });
  return rows.length > 0;
}

export function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
