/**
 * Moves the focus along the rows of the page. A view marks its lists with `data-list`, and in each row the element that
 * takes the focus, mostly a link, with `data-row`.
 */
export function moveBetweenRows(by: 1 | -1, focused: Element | null): boolean {
  const list = focused?.closest('[data-list]') ?? document.querySelector('[data-list]');
  const rows = list ? rowsOf(list) : [];
  const at = focused ? rows.indexOf(focused as HTMLElement) : -1;
  const next = at < 0 ? (by === 1 ? rows[0] : undefined) : rows[at + by];
  if (next) focus(next);
  else if (at === 0 && by === -1) document.querySelector<HTMLElement>('[data-search]')?.focus();
  return next !== undefined || at >= 0;
}

/** Moves the focus to the row at the same place of the list beside. */
export function moveAcross(by: 1 | -1, focused: Element): boolean {
  const lists = [...document.querySelectorAll('[data-list]')].filter((list) => rowsOf(list).length > 0);
  const list = focused.closest('[data-list]');
  const beside = list ? lists[lists.indexOf(list) + by] : undefined;
  if (!list || !beside) return false;
  const rows = rowsOf(beside);
  const row = rows[Math.min(rowsOf(list).indexOf(focused as HTMLElement), rows.length - 1)];
  if (row) focus(row);
  return row !== undefined;
}

/** Moves the focus to the first row of its list, or the last. */
export function moveToEnd(isLast: boolean, focused: Element): boolean {
  const list = focused.closest('[data-list]');
  const row = list ? rowsOf(list).at(isLast ? -1 : 0) : undefined;
  if (row) focus(row);
  return row !== undefined;
}

function rowsOf(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null);
}

function focus(row: HTMLElement): void {
  row.focus();
  row.scrollIntoView({ block: 'nearest' });
}
