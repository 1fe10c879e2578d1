import { options } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { hashOf, type Route, readRoute } from './route.ts';

/** Where the page is, and how it goes elsewhere. */
export interface Address {
  readonly route: Route;
  /** Goes to an address, and shows it at once. */
  navigate(hash: string): void;
  /** Keeps settings of the route in the address, without a step in the browser's history. */
  remember(settings: Readonly<Record<string, string>>): void;
  /** Where a view was left. */
  leftAt(view: string): string | undefined;
}

/** What comes after a change of the address, and before the browser tells of it, is meant for the new place. */
const NEXT = ['hashchange', 'keydown', 'click'];

/** Follows the address of the page. */
export function useAddress(): Address {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  /** The address of the route, with what was remembered since. */
  const shown = useRef(location.hash);
  const left = useRef(new Map([[route.view, location.hash]]));

  const follow = useCallback((): void => {
    if (location.hash === shown.current) return;
    shown.current = location.hash;
    const next = readRoute(location.hash);
    left.current.set(next.view, location.hash);
    drawAtOnce(() => setRoute(next));
  }, []);
  useEffect(() => {
    for (const type of NEXT) addEventListener(type, follow, true);
    return () => {
      for (const type of NEXT) removeEventListener(type, follow, true);
    };
  }, []);
  const navigate = useCallback((hash: string): void => {
    location.hash = hash;
    follow();
  }, []);
  const remember = useCallback(
    (settings: Readonly<Record<string, string>>): void => {
      const hash = hashOf(route.view, route.name, settings);
      left.current.set(route.view, hash);
      // A view that was left may remember late, and an address may not be followed yet.
      const { view, name } = readRoute(shown.current);
      if (location.hash !== shown.current || view !== route.view || name !== route.name) return;
      history.replaceState(null, '', hash);
      shown.current = location.hash;
    },
    [route.view, route.name],
  );
  return { route, navigate, remember, leftAt: (view) => left.current.get(view) };
}

/** Draws what a change of state leads to before the next key is pressed. */
function drawAtOnce(change: () => void): void {
  const before = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  try {
    change();
  } finally {
    if (before) options.debounceRendering = before;
    else delete options.debounceRendering;
  }
}
