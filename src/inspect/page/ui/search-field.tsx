import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface SearchFieldProps {
  readonly label: string;
  /** Stands in the empty field. */
  readonly hint: string;
  readonly value: string;
  change(value: string): void;
  /** Whether it has the focus when the view opens. */
  readonly isFirst?: boolean;
}

/** The search field of a view, to which the key `/` goes. It tells the key where that does something. */
export function SearchField({ label, hint, value, change, isFirst = false }: SearchFieldProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [isFocused, setFocused] = useState(isFirst);
  // Before the view is painted: the first key is pressed soon.
  useLayoutEffect(() => {
    if (isFirst) field.current?.focus();
  }, []);
  return (
    <input
      ref={field}
      data-search
      type="search"
      aria-label={label}
      placeholder={isFocused ? hint : `${hint}   ( / )`}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    />
  );
}
