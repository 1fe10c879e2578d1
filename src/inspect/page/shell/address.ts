import { useEffect, useRef, useState } from 'preact/hooks';
import { hashOf, type Route, readRoute } from './route.ts';

/** Where the page is, and how it goes elsewhere. */
export interface Address {
  readonly route: Route;
  /** Goes to an address. */
  go(hash: string): void;
  /** Changes settings of the view. The address follows a moment later, without a step in the browser's history. */
  set(settings: Readonly<Record<string, string>>): void;
  /** Where a view was left. */
  leftAt(view: string): string | undefined;
}

/** Milliseconds without a change after which the address follows: browsers do not let it change with every key. */
const PAUSE = 300;

/** Follows the address of the page. */
export function useAddress(): Address {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  const now = useRef(route);
  now.current = route;
  const left = useRef(new Map<string, string>());
  const timer = useRef(0);
  /** The row that was followed on each address, by the address. */
  const rows = useRef(new Map<string, string>());
  const settle = (): void => {
    clearTimeout(timer.current);
    const { view, name, settings } = now.current;
    const hash = hashOf(view, name, Object.fromEntries(settings));
    left.current.set(view, hash);
    if (timer.current !== 0 && location.hash !== hash) history.replaceState(null, '', hash);
    timer.current = 0;
  };
  const show = (): void => {
    timer.current = 0;
    now.current = readRoute(location.hash);
    setRoute(now.current);
    settle();
  };
  const go = (hash: string): void => {
    settle();
    if (location.hash !== hash) history.pushState(null, '', hash);
    show();
    scrollTo(0, 0);
  };
  useEffect(() => {
    // A link within the page is followed before the next key is pressed; with Ctrl and the like it is the browser's.
    const follow = (event: MouseEvent): void => {
      const link = (event.target as Element | null)?.closest?.('a');
      const hash = link?.getAttribute('href') ?? '';
      const { ctrlKey, metaKey, shiftKey, altKey, button, defaultPrevented } = event;
      if (!hash.startsWith('#/') || defaultPrevented || ctrlKey || metaKey || shiftKey || altKey || button !== 0)
        return;
      event.preventDefault();
      settle();
      if (link?.matches('[data-row]')) rows.current.set(location.hash, hash);
      go(hash);
    };
    const come = (): void => {
      clearTimeout(timer.current);
      show();
      focusRow(rows.current.get(location.hash));
      // Browsers tell of one step in two events.
      rows.current.delete(location.hash);
    };
    addEventListener('click', follow);
    addEventListener('popstate', come);
    addEventListener('hashchange', come);
    return () => {
      removeEventListener('click', follow);
      removeEventListener('popstate', come);
      removeEventListener('hashchange', come);
    };
  }, []);
  return {
    ...{ route, go },
    set(changed) {
      const settings = new Map([...now.current.settings, ...Object.entries(changed)]);
      now.current = { ...now.current, settings };
      setRoute(now.current);
      clearTimeout(timer.current);
      timer.current = setTimeout(settle, PAUSE) as unknown as number;
    },
    leftAt: (view) => left.current.get(view),
  };
}

/** Focuses the row that leads to an address, as soon as it is there. */
function focusRow(href: string | undefined, tries = 40): void {
  const row = href && document.querySelector<HTMLElement>(`[data-row][href="${CSS.escape(href)}"]`);
  if (row) row.focus();
  else if (href && tries > 0) setTimeout(focusRow, 50, href, tries - 1);
}
