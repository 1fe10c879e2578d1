import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../ui/numbers.ts';
import { ROVING, rove } from '../ui/roving.ts';
import { shownText } from '../ui/shown-text.ts';
import { Text } from '../ui/text.tsx';
import { type ConfusionMatrix, cellKey, type MatrixCell } from './matrix.ts';

interface Props {
  readonly matrix: ConfusionMatrix;
  /** The cases in which each tool that was wanted came first. */
  readonly hits: ReadonlyMap<string, number>;
  /** The key of the field whose cases are shown. */
  readonly chosen: string;
  readonly choose: (key: string) => void;
}

/** So many cases are shown in the strongest colour at the least. */
const LEAST_HOT = 4;

/** The matrix as a table. The arrow keys walk through the fields that are not empty. */
export function MatrixTable({ matrix, hits, chosen, choose }: Props): JSX.Element {
  const { rows, cells, hasNothing } = matrix;
  const [active, setActive] = useState('');
  const keys = [...cells.keys()];
  const stop = cells.has(active) ? active : keys[0];
  const columns: readonly (string | undefined)[] = hasNothing ? [...matrix.columns, undefined] : matrix.columns;
  const most = Math.max(LEAST_HOT, ...Array.from(cells.values(), ({ count }) => count));
  const field = (row: string, column: string | undefined): JSX.Element => {
    const key = cellKey(row, column);
    const cell = cells.get(key);
    if (!cell) return <td key={key} class={row === column ? 'self' : ''} />;
    return (
      <td key={key}>
        <button
          type="button"
          {...ROVING}
          tabIndex={key === stop ? 0 : -1}
          class={`confusion heat-${Math.ceil((4 * cell.count) / most)}`}
          aria-pressed={key === chosen}
          aria-label={describe(cell)}
          title={describe(cell)}
          onFocus={() => setActive(key)}
          onClick={() => choose(key === chosen ? '' : key)}
        >
          {cell.count}
        </button>
      </td>
    );
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the keys.
    <div class="matrix-frame" onKeyDown={rove}>
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">wanted</span>
            </th>
            <th scope="col">
              <span>came first itself</span>
            </th>
            {columns.map((name) => (
              <th key={name ?? ''} scope="col" title={name && shownText(name)}>
                <span>
                  <Text of={name ?? 'nothing matched'} />
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row" title={shownText(row)}>
                <span>
                  <Text of={row} />
                </span>
              </th>
              <td class={hits.has(row) ? 'right' : 'muted'}>{hits.get(row) ?? 0}</td>
              {columns.map((column) => field(row, column))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function describe({ wanted, instead, count, words }: MatrixCell): string {
  const by = words.length > 0 ? `, by ${words.slice(0, 3).join(', ')}` : '';
  const first = instead === undefined ? 'nothing matched' : `${instead} came first`;
  return shownText(`${wanted} wanted, ${first}: ${countText(count, 'case')}${by}`);
}
