import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visibleRows } from './visible-rows.ts';

interface LongListProps<Item> {
  readonly items: readonly Item[];
  /** Pixels of each row. */
  readonly rowHeight: number;
  readonly label: string;
  row(item: Item, place: number): ComponentChildren;
}

/** A list of any length, of which only what is seen is drawn. It scrolls with the page. */
export function LongList<Item>({ items, rowHeight, label, row }: LongListProps<Item>): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const [range, setRange] = useState({ start: 0, end: 60 });
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const next = visibleRows(items.length, rowHeight, -top, innerHeight);
      setRange((before) => (before.start === next.start && before.end === next.end ? before : next));
    };
    const later = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [items.length, rowHeight]);
  const { start, end } = range;
  return (
    <ol
      ref={list}
      data-list
      class="long-list"
      aria-label={label}
      style={{ height: `${items.length * rowHeight}px`, paddingTop: `${start * rowHeight}px` }}
    >
      {items.slice(start, end).map((item, at) => row(item, start + at))}
    </ol>
  );
}
