import { useLayoutEffect, useRef } from 'preact/hooks';

/** Runs when the value is another than before, and before anything else happens: no key, and no timer. */
export function useChange(value: unknown, then: () => void): void {
  const known = useRef(value);
  useLayoutEffect(() => {
    if (known.current === value) return;
    known.current = value;
    then();
  }, [value]);
}
