import { useEffect, useRef, useState } from 'preact/hooks';
import { hashOf, type Route, readRoute } from './route.ts';

/** The current route and navigation. */
export interface Address {
  readonly route: Route;
  /** Navigates to an address. */
  go(hash: string): void;
  /** Changes settings of the view. The address follows after a pause, without a new entry in the browser's history. */
  set(settings: Readonly<Record<string, string>>): void;
  /** The last address within a view. */
  leftAt(view: string): string | undefined;
}

/** Debounce in milliseconds, because browsers limit how often the address changes. */
const PAUSE = 300;

/** Follows the address of the page. */
export function useAddress(): Address {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  const now = useRef(route);
  now.current = route;
  const left = useRef(new Map<string, string>());
  const timer = useRef(0);
  /** The row whose link was followed, by address. */
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
    // Follows a link within the page synchronously, before the next key press; with Ctrl and the like, the browser follows it.
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
      // Browsers fire two events for one navigation.
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

/** Focuses the row that links to an address, as soon as it is rendered. */
function focusRow(href: string | undefined, tries = 40): void {
  const row = href && document.querySelector<HTMLElement>(`[data-row][href="${CSS.escape(href)}"]`);
  if (row) row.focus();
  else if (href && tries > 0) setTimeout(focusRow, 50, href, tries - 1);
}
