import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { numberText } from './numbers.ts';

interface Props<Row> {
  readonly rows: readonly Row[];
  /** Rows that are there at first, and that each press adds. */
  readonly size?: number;
  /** What the rows are, for the button: "cases". */
  readonly noun: string;
  /** Draws the rows that are there. */
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

/** The first rows of a long list, and a button for more: thousands at once would make the page slow. */
export function Paged<Row>({ rows, size = 100, noun, children }: Props<Row>): JSX.Element {
  const [count, setCount] = useState(size);
  // Another list begins at its top.
  useEffect(() => setCount(size), [rows, size]);
  const left = rows.length - count;
  return (
    <>
      {children(rows.slice(0, count))}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setCount(count + size)}>
          Show {numberText(Math.min(size, left))} more of {numberText(left)} {noun}
        </button>
      )}
    </>
  );
}
