import type { JSX } from 'preact';
import { hashOf } from '../shell/route.ts';
import { Paged } from '../ui/paged.tsx';
import { Text } from '../ui/text.tsx';
import { type CaseRow, isBetter } from './case-rows.ts';
import { OUTCOMES } from './outcomes.ts';

/** Cases, each with its rank and what came instead. */
export function CaseTable({ rows, topK }: { readonly rows: readonly CaseRow[]; readonly topK: number }): JSX.Element {
  if (rows.length === 0) return <p>No case is like that.</p>;
  return (
    <Paged rows={rows} noun="cases">
      {(shown) => (
        <table class="case-table">
          <thead>
            <tr>
              <th scope="col">outcome</th>
              <th scope="col">query</th>
              <th scope="col" class="number">
                rank
              </th>
              <th scope="col">wanted</th>
              <th scope="col">came first instead</th>
            </tr>
          </thead>
          <tbody data-list>
            {shown.map((row) => (
              <Case key={`${row.result.id} ${row.result.query}`} row={row} topK={topK} />
            ))}
          </tbody>
        </table>
      )}
    </Paged>
  );
}

function Case({ row, topK }: { readonly row: CaseRow; readonly topK: number }): JSX.Element {
  const { result, outcome, isFalseAlarm, miss } = row;
  const { sign, kind, words } = OUTCOMES[outcome];
  return (
    <tr>
      <td class={`outcome ${kind}`}>
        <span aria-hidden="true">{sign}</span> {words}
        {isFalseAlarm && <span class="bad"> ! false alarm</span>}
      </td>
      <th scope="row">
        <a data-row href={hashOf('search', '', { q: result.query })}>
          <Text of={result.query} />
        </a>
      </th>
      <td class="number">
        {result.relevant.length === 0 ? '' : (result.rank ?? '–')}
        {row.before !== undefined && (
          <span class={isBetter(row) ? 'good' : 'bad'}>
            {isBetter(row) ? ' ▲' : ' ▼'} from {row.before ?? '–'}
          </span>
        )}
      </td>
      <td>
        <Tools names={result.relevant} />
      </td>
      <td>
        {miss && miss.instead === undefined && <em>nothing matched</em>}
        {miss?.instead !== undefined && (
          <>
            <Tools names={[miss.instead]} />
            {miss.word !== undefined && (
              <span class="small">
                <span class="muted">by</span>{' '}
                <mark>
                  <Text of={miss.word} />
                </mark>
              </span>
            )}
          </>
        )}
        {outcome === 'missed-nothing' && <Tools names={result.found.slice(0, Math.min(1, topK))} />}
      </td>
    </tr>
  );
}

/** Names told of one case: of a user's whole task, dozens may be relevant. */
const MOST_NAMES = 4;

function Tools({ names }: { readonly names: readonly string[] }): JSX.Element {
  if (names.length === 0) return <span class="muted">no tool</span>;
  return (
    <span class="names">
      {names.slice(0, MOST_NAMES).map((name) => (
        <a key={name} href={hashOf('tools', name)}>
          <Text of={name} />
        </a>
      ))}
      {names.length > MOST_NAMES && <span class="muted">and {names.length - MOST_NAMES} more</span>}
    </span>
  );
}
