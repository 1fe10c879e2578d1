import type { ComponentChildren, JSX } from 'preact';
import { Paged } from './parts.tsx';

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  readonly name: string;
  readonly class?: string;
  /** The column headers; absent if the cells explain themselves. */
  readonly head?: readonly ComponentChildren[];
  /** The indexes of numeric columns. */
  readonly numbers?: readonly number[];
  /** The column that the rows are sorted by. */
  readonly sorted?: { readonly place: number; readonly order: 'ascending' | 'descending' } | undefined;
  readonly rows: readonly Row[];
  /** Number of rows shown at first. */
  readonly size?: number | undefined;
  keyOf(row: Row): string;
  /** The cells of a row; the first one is its row header. */
  cells(row: Row, at: number): readonly ComponentChildren[];
}

/** A table that scrolls horizontally if it is too wide, and shows only the first rows of a long list. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { name, head, numbers = [], sorted, rows, size, keyOf, cells } = props;
  const classOf = (place: number): string | undefined => (numbers.includes(place) ? 'number' : undefined);
  return (
    <Paged rows={rows} size={size}>
      {(shown) => (
        <div class="scroll">
          <table class={props.class}>
            <caption class="unseen">{name}</caption>
            {head && (
              <thead>
                <tr>
                  {head.map((title, at) =>
                    title === '' ? (
                      <td key={at} />
                    ) : (
                      <th
                        key={at}
                        scope="col"
                        class={classOf(at)}
                        aria-sort={sorted?.place === at ? sorted.order : undefined}
                      >
                        {title}
                      </th>
                    ),
                  )}
                </tr>
              </thead>
            )}
            <tbody data-list>
              {shown.map((row, place) => {
                const [first, ...others] = cells(row, place);
                return (
                  <tr key={keyOf(row)}>
                    <th scope="row">{first}</th>
                    {others.map((cell, at) => (
                      <td key={at} class={classOf(at + 1)}>
                        {cell}
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Paged>
  );
}
