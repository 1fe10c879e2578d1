import './confusions.css';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Confusion, SearchedCase } from '../../../workbench/evaluate/measure.ts';
import type { InspectTool } from '../../data.ts';
import { NoCases, useCases } from '../cases/use-cases.tsx';
import type { CaseReport } from '../engine/engine.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { countText } from '../ui/numbers.ts';
import { Paged } from '../ui/paged.tsx';
import { Text } from '../ui/text.tsx';
import { useSettings } from '../ui/use-settings.ts';
import { Waiting } from '../ui/waiting.tsx';
import { casesOf } from './cell-cases.ts';
import { betweenGroups, cellKey, confusionMatrix, type MatrixCell } from './matrix.ts';
import { MatrixTable } from './matrix-table.tsx';

/** Rows and columns of the matrix: more can neither be read nor walked through. */
const MOST = 24;

/** Which tool came first where another was wanted. */
export function ConfusionsView(props: ViewProps): JSX.Element {
  const { data } = props;
  const [get, set] = useSettings(props);
  const { answered, picker } = useCases(props, get('scorer'), (scorer) => set('scorer', scorer));
  const { value: report } = answered;
  const ofServers = get('of') === '' ? areServersClearer(report, data.tools) : get('of') === 'servers';
  const [chosen, setChosen] = useState('');
  const groupOf = useMemo(() => {
    const groups = new Map(data.tools.map(({ name, group }) => [name, group ?? 'no server']));
    return ofServers ? (name: string) => groups.get(name) ?? '' : (name: string) => name;
  }, [data, ofServers]);
  const confusions = report?.evaluation.confusions;
  const all = useMemo(
    () => confusions && (ofServers ? betweenGroups(confusions, groupOf) : confusions),
    [confusions, groupOf],
  );
  const matrix = useMemo(() => all && confusionMatrix(all, MOST), [all]);
  if (!data.cases?.length) return <NoCases what="which tools are taken for each other" />;
  if (!report || !matrix || !all) {
    return <Waiting answered={answered} doing={`Searching for ${countText(data.cases.length, 'case')}`} />;
  }
  const hits = hitsOf(report.searched, groupOf);
  const cell = matrix.cells.get(chosen);
  // A matrix of nothing but ones says less than a list.
  const isListFirst = all.every(({ count }) => count === 1);
  const list = (
    <>
      <h3>All pairs</h3>
      <PairList confusions={all} isOfTools={!ofServers} />
    </>
  );
  return (
    <section class="confusions" aria-labelledby="confusions-title">
      <h2 id="confusions-title">
        {countText(report.searched.filter(({ miss }) => miss).length, 'case')} where another came first
      </h2>
      <div class="controls">
        {picker}
        <label>
          <input
            type="checkbox"
            checked={ofServers}
            onChange={({ currentTarget }) => {
              setChosen('');
              set('of', currentTarget.checked ? 'servers' : 'tools');
            }}
          />{' '}
          by server
        </label>
      </div>
      {all.length === 0 ? (
        <p>No case has another tool first: there is nothing to tell apart.</p>
      ) : (
        <>
          {isListFirst && list}
          <p class="muted">
            {ofServers
              ? 'A row for each server of a tool that was wanted, a column for the server of what came first instead.'
              : 'A row for each tool that was wanted, a column for what came first instead.'}{' '}
            Green: cases in which a tool that was wanted came first.
            {matrix.left.pairs > 0 &&
              ` ${countText(matrix.left.pairs, 'more pair')} with ${countText(matrix.left.cases, 'case')} ${
                matrix.left.pairs === 1 ? 'stands' : 'stand'
              } in the list of all pairs.`}
          </p>
          <MatrixTable matrix={matrix} hits={hits} chosen={chosen} choose={setChosen} />
          <div aria-live="polite">
            {cell && <CellCases cell={cell} cases={casesOf(cell, report.searched, groupOf)} isOfTools={!ofServers} />}
          </div>
          {!isListFirst && list}
        </>
      )}
    </section>
  );
}

/** Where no two tools are confused twice, a matrix of tools has nothing but ones. */
function areServersClearer(report: CaseReport | undefined, tools: readonly InspectTool[]): boolean {
  const confusions = report?.evaluation.confusions ?? [];
  const servers = new Set(tools.map(({ group }) => group));
  return servers.size > 2 && confusions.length > 2 && confusions.every(({ count }) => count === 1);
}

/** The cases in which each tool that was wanted came first. */
function hitsOf(searched: readonly SearchedCase[], groupOf: (name: string) => string): ReadonlyMap<string, number> {
  const hits = new Map<string, number>();
  for (const { result } of searched) {
    if (result.rank !== 1) continue;
    const name = groupOf(result.found[0] ?? '');
    hits.set(name, (hits.get(name) ?? 0) + 1);
  }
  return hits;
}

interface CellCasesProps {
  readonly cell: MatrixCell;
  readonly cases: readonly SearchedCase[];
  readonly isOfTools: boolean;
}

function CellCases({ cell, cases, isOfTools }: CellCasesProps): JSX.Element {
  const { wanted, instead, words } = cell;
  return (
    <section class="cell-cases">
      <h3>
        <ToolName name={wanted} isLink={isOfTools} /> wanted,{' '}
        {instead === undefined ? (
          'nothing matched'
        ) : (
          <>
            <ToolName name={instead} isLink={isOfTools} /> came first
          </>
        )}
      </h3>
      {words.length > 0 && (
        <p>
          By {words.length === 1 ? 'the word' : 'the words'}{' '}
          {words.slice(0, 8).map((word) => (
            <mark key={word}>
              <Text of={word} />
            </mark>
          ))}
        </p>
      )}
      <Paged rows={cases} size={20} noun="cases">
        {(rows) => (
          <ul data-list>
            {rows.map(({ result, miss }) => (
              <li key={result.id}>
                <a data-row href={hashOf('search', '', { q: result.query })}>
                  <Text of={result.query} />
                </a>
                <span class="muted">
                  {' '}
                  {result.rank === undefined ? 'not found' : `at place ${result.rank}`}
                  {miss?.word === undefined ? '' : `, by “${miss.word}”`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </section>
  );
}

function PairList({
  confusions,
  isOfTools,
}: {
  readonly confusions: readonly Confusion[];
  readonly isOfTools: boolean;
}): JSX.Element {
  return (
    <Paged rows={confusions} size={50} noun="pairs">
      {(rows) => (
        <table class="pairs">
          <thead>
            <tr>
              <th scope="col">wanted</th>
              <th scope="col">came first</th>
              <th scope="col" class="number">
                cases
              </th>
              <th scope="col">by the words</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ wanted, instead, count, words }) => (
              <tr key={cellKey(wanted, instead)}>
                <td>
                  <ToolName name={wanted} isLink={isOfTools} />
                </td>
                <td>
                  {instead === undefined ? <em>nothing matched</em> : <ToolName name={instead} isLink={isOfTools} />}
                </td>
                <td class="number">{count}</td>
                <td>
                  <Text of={words.slice(0, 5).join(', ')} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Paged>
  );
}

function ToolName({ name, isLink }: { readonly name: string; readonly isLink: boolean }): JSX.Element {
  return isLink ? (
    <a href={hashOf('tools', name)}>
      <Text of={name} />
    </a>
  ) : (
    <Text of={name} />
  );
}
