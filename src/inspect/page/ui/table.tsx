import type { ComponentChildren, JSX } from 'preact';
import { Paged } from './parts.tsx';

interface TableProps<Row> {
  /** Names the table, for those who do not see it. */
  readonly name: string;
  readonly class?: string;
  /** The heads of the columns; left out where the cells say enough. */
  readonly head?: readonly ComponentChildren[];
  /** The places of the columns of numbers. */
  readonly numbers?: readonly number[];
  /** The column that the rows are sorted by. */
  readonly sorted?: { readonly place: number; readonly order: 'ascending' | 'descending' } | undefined;
  readonly rows: readonly Row[];
  /** Rows to begin with. */
  readonly size?: number | undefined;
  keyOf(row: Row): string;
  /** The cells of a row. The first one names it. */
  cells(row: Row, at: number): readonly ComponentChildren[];
}

/** Rows in columns, which scroll by themselves where they are too wide, and of which a long list shows the first. */
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
