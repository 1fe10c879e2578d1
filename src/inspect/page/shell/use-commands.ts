import { useEffect, useRef } from 'preact/hooks';
import { type Command, commandOf } from './keys.ts';
import { moveAcross, moveBetweenRows, moveToEnd } from './rows.ts';

/** What the page does at commands that are not about rows. */
export interface Commands {
  help(): void;
  theme(): void;
  undo(): void;
  redo(): void;
  /** Goes to the view with the search field. */
  search(): void;
  view(place: number): void;
  back(): void;
}

/** Lets keys do what they ask for, wherever they are pressed. */
export function useCommands(commands: Commands): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      const focused = document.activeElement;
      const isTyping = focused instanceof HTMLElement && isTextField(focused);
      const isSearch = focused?.matches('[data-search]') ?? false;
      const isEmpty = isSearch && (focused as HTMLInputElement).value === '';
      const isRow = focused?.matches('[data-row]') ?? false;
      const command = commandOf(event, { isTyping, isSearch, isEmpty, isRow });
      if (command && run(command, focused, isTyping, latest.current)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Whether the command did anything: else the key is the browser's. */
function run(command: Command, focused: Element | null, isTyping: boolean, commands: Commands): boolean {
  switch (command.type) {
    case 'move':
      return moveBetweenRows(command.by, focused);
    case 'across':
      return focused !== null && moveAcross(command.by, focused);
    case 'end':
      return focused !== null && moveToEnd(command.isLast, focused);
    case 'explain': {
      const button = focused?.closest('[data-row-of]')?.querySelector<HTMLElement>('[data-explain]');
      button?.click();
      return button !== null && button !== undefined;
    }
    case 'search':
      focusSearch(commands);
      return true;
    case 'back':
      // The first press leaves what is focused, the next one the place.
      if (focused?.matches('[data-row]') && focusField()) return true;
      if (isTyping) (focused as HTMLElement).blur();
      else commands.back();
      return true;
    case 'view':
      commands.view(command.place);
      return true;
    default:
      commands[command.type]();
      return true;
  }
}

/** Focuses the search field of the view, else that of the view for searches. */
function focusSearch(commands: Commands): void {
  if (focusField()) return;
  commands.search();
  focusField();
}

function focusField(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

function isTextField(element: HTMLElement): boolean {
  return element.isContentEditable || element.matches('textarea, select, input:not([type=checkbox], [type=radio])');
}
