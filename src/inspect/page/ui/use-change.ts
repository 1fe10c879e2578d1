import { useEffect, useRef } from 'preact/hooks';

/** Runs when the value is another than before. Not for the first one: by the time that effects run, a key may have been pressed. */
export function useChange(value: unknown, then: () => void): void {
  const known = useRef(value);
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    then();
  }, [value]);
}
