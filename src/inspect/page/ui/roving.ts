/** Marks what the arrow keys walk through: one stop of the Tab key for all of them. */
export const ROVING = { 'data-roving': '' } as const;

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Moves the focus among the marked elements of a container: the arrows to the next one and the one before, Home and End
 * to the ends.
 */
export function rove(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.currentTarget instanceof Element)) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement | SVGElement>('[data-roving]')];
  const here = all.indexOf(document.activeElement as HTMLElement | SVGElement);
  const step = STEPS[event.key];
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : step && here + step;
  if (here < 0 || next === undefined) return;
  event.preventDefault();
  // The page has a meaning for these keys too.
  event.stopPropagation();
  all[next]?.focus();
}
