import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { isMisjudged, type SearchedCase } from '../../../workbench/evaluate/measure.ts';
import { grouped } from '../../../workbench/grouped.ts';
import type { CaseReport } from '../engine/engine.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { CasesWaiting, Choice, Paged, SearchField, useCases, useScorer } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { countText, type Line, Lines, Term, Text, ToolLink } from '../ui/text.tsx';
import { ToolEditor } from './editor.tsx';
import { ScorerTable } from './scorers.tsx';
import { findsNothing, placeText, Scores } from './scores.tsx';

/** The loss of a case against a perfect ranking, from 0 to 1. */
function lossOf({ result: { figures, isWeak } }: SearchedCase): number {
  if (figures) return 1 - figures.ndcg10;
  return isWeak === false ? 1 : 0;
}

/** The cases whose tool does not rank first, the worst first. */
export function worstFirst({ searched }: CaseReport): readonly SearchedCase[] {
  const rank = ({ result }: SearchedCase): number => result.rank ?? Number.POSITIVE_INFINITY;
  const order = (one: SearchedCase, other: SearchedCase): number =>
    lossOf(other) - lossOf(one) || (rank(one) === rank(other) ? 0 : rank(other) - rank(one));
  return searched.filter(({ miss }) => miss).sort(order);
}

/** Two tools or servers, of which one ranks first where the other is wanted. */
export interface Pair {
  readonly wanted: string;
  /** Absent if nothing matched. */
  readonly instead?: string | undefined;
  readonly cases: readonly SearchedCase[];
}

/** The confused pairs, the costliest first. */
export function pairsOf({ searched }: CaseReport, nameOf = (tool: string): string => tool): readonly Pair[] {
  const missed = searched.filter(({ miss }) => miss);
  const of = ({ miss }: SearchedCase): readonly [string, string?] =>
    miss?.instead === undefined ? [nameOf(miss?.wanted ?? '')] : [nameOf(miss.wanted), nameOf(miss.instead)];
  const pairs = [...grouped(missed, (one) => JSON.stringify(of(one)))].map(([, cases]): Pair => {
    const [wanted, instead] = of(cases[0]);
    return { wanted, instead, cases };
  });
  const loss = ({ cases }: Pair): number => cases.reduce((sum, one) => sum + lossOf(one), 0);
  return pairs.sort((one, other) => other.cases.length - one.cases.length || loss(other) - loss(one));
}

/** The kinds of cases to choose from. */
const KINDS: Readonly<Record<string, readonly [title: string, has: (one: SearchedCase) => boolean]>> = {
  failed: ['Not first', ({ miss }) => miss !== undefined],
  missed: ['Not shown', ({ result, isShown }) => result.relevant.length > 0 && !isShown],
  nothing: ['Find nothing', findsNothing],
  verdict: ['Wrong verdict', isMisjudged],
  all: ['All', () => true],
};

/** The cases, worst first, and the confused pairs of tools, both of which can be edited side by side. */
export function CasesView(): JSX.Element {
  const { data, route, set } = usePage();
  const { scorer, choice } = useScorer();
  const answered = useCases(scorer);
  const all = data.cases?.length ?? 0;
  const report = answered.value;
  const by = route.settings.get('by') ?? 'cases';
  const hasServers = data.tools.some(({ group }) => group !== undefined);
  if (all === 0) return <NoCases />;
  if (!report)
    return (
      <>
        <h2>Cases</h2>
        <CasesWaiting answered={answered} />
      </>
    );
  return (
    <div data-stale={answered.isPending || undefined}>
      <div class="section-head">
        <h2>{countText(all, 'case')}</h2>
        <span>{choice}</span>
      </div>
      <Scores {...{ report, scorer }} />
      <Choice
        legend="Shown"
        value={by}
        options={[
          ['cases', 'Cases'],
          ['pairs', 'Confused tools'],
          ...(hasServers ? ([['servers', 'Confused servers']] as const) : []),
          ['scorers', 'Scorers'],
        ]}
        change={(key) => set({ by: key, wanted: '', instead: '', only: '' })}
      />
      {by === 'cases' && <CaseList report={report} />}
      {by === 'scorers' && <ScorerTable key={scorer} report={report} scorer={scorer} />}
      {(by === 'pairs' || by === 'servers') && <Pairs report={report} isOfServers={by === 'servers'} />}
    </div>
  );
}

function CaseList({ report }: { readonly report: CaseReport }): JSX.Element {
  const { route, set } = usePage();
  const find = (route.settings.get('find') ?? '').trim().toLowerCase();
  const chosen = route.settings.get('only') || 'failed';
  const moved = new Set(
    [...(report.comparison?.better ?? []), ...(report.comparison?.worse ?? [])].map(({ id }) => id),
  );
  const kinds = { ...KINDS, ...(moved.size > 0 ? { moved: ['Moved', isMoved] as const } : {}) };
  function isMoved({ result }: SearchedCase): boolean {
    return moved.has(result.id);
  }
  const [, has] = kinds[chosen as keyof typeof kinds] ?? KINDS['failed'] ?? ['', isMoved];
  const sorted = useMemo(() => [...new Set([...worstFirst(report), ...report.searched])], [report]);
  const rows = sorted.filter((one) => {
    const { id, query, relevant, found } = one.result;
    const texts = [id, query, ...relevant, ...found.slice(0, 1)];
    return has(one) && (find === '' || texts.some((text) => text.toLowerCase().includes(find)));
  });
  return (
    <>
      <div class="controls">
        <Choice
          legend="Cases shown"
          value={chosen}
          options={Object.entries(kinds).map(([key, [title, isOf]]) => [
            key,
            `${title} ${sorted.filter((one) => isOf(one)).length}`,
          ])}
          change={(only) => set({ only })}
        />
        <SearchField label="Find a query or a tool" value={find} change={(text) => set({ find: text })} isMain />
      </div>
      <p class="muted small" role="status">
        {countText(rows.length, 'case')} shown, the worst first
      </p>
      {rows.length > 0 && <CaseTable report={report} rows={rows} key={`${chosen} ${find}`} />}
    </>
  );
}

interface CaseTableProps {
  readonly report: CaseReport;
  readonly rows: readonly SearchedCase[];
  readonly size?: number | undefined;
}

export function CaseTable({ report, rows, size }: CaseTableProps): JSX.Element {
  const { scorer } = useScorer();
  const before = new Map(report.before.cases.map((one) => [one.id, one.rank]));
  const cells = (one: SearchedCase): readonly ComponentChildren[] => {
    const { miss, isShown } = one;
    const { id, query, relevant, rank, found, isWeak } = one.result;
    const wanted = miss?.wanted ?? (rank === 1 ? found[0] : relevant[0]);
    const instead = miss ? miss.instead : wanted === undefined ? found[0] : undefined;
    const then = before.get(id);
    return [
      <a key="query" data-row href={hashOf('search', '', { q: query, want: wanted ?? '', scorer })}>
        <Text of={query} />
      </a>,
      wanted === undefined ? <span class="muted">no tool</span> : <ToolLink name={wanted} />,
      <span key="place" class={`small ${outcomeOf(one)}`}>
        {wanted === undefined ? verdictOf(one) : placeText(rank)}
        {then !== rank && report.comparison && <span class="muted"> from {placeText(then)}</span>}
        {isShown && isWeak && <span class="bad"> told that nothing fits</span>}
      </span>,
      <>
        {instead !== undefined && <ToolLink name={instead} />}
        {miss && instead === undefined && <span class="muted">nothing matched</span>}
        {miss?.word !== undefined && (
          <span class="small muted">
            {' by '}
            <mark>
              <Text of={miss.word} />
            </mark>
          </span>
        )}
      </>,
      miss?.instead !== undefined && (
        <a class="small" href={pairHash(miss.wanted, miss.instead, scorer)}>
          Edit both
        </a>
      ),
    ];
  };
  const head = [
    'Asked for',
    'Wanted',
    'Place',
    <Term key="by" of="wonBy">
      Won by
    </Term>,
    '',
  ];
  return (
    <Table name="Cases" class="stacked cases" {...{ head, rows, cells, size }} keyOf={({ result }) => result.id} />
  );
}

function pairHash(wanted: string, instead: string, scorer: string, by = 'pairs'): string {
  return hashOf('cases', '', { by, wanted, instead, scorer });
}

function outcomeOf({ result: { rank, relevant, isWeak }, isShown }: SearchedCase): string {
  if (relevant.length === 0) return isWeak === false ? 'bad' : 'good';
  return rank === 1 ? 'good' : isShown ? 'warn' : 'bad';
}

function verdictOf({ result: { isWeak } }: SearchedCase): string {
  return isWeak === undefined ? 'no verdict' : isWeak ? 'rightly nothing' : 'wrongly something';
}

/** The confused pairs; for the chosen pair, its cases, and both tools to edit side by side. */
function Pairs({ report, isOfServers }: { readonly report: CaseReport; readonly isOfServers: boolean }): JSX.Element {
  const { data, route, history, edits } = usePage();
  const { scorer } = useScorer();
  const servers = useMemo(() => new Map(data.tools.map(({ name, group }) => [name, group ?? 'no server'])), [data]);
  const pairs = pairsOf(report, isOfServers ? (name) => servers.get(name) ?? 'no server' : undefined);
  const [wanted, instead] = ['wanted', 'instead'].map((key) => route.settings.get(key));
  const chosen = pairs.find((pair) => pair.wanted === wanted && (pair.instead ?? '') === (instead ?? ''));
  const names = isOfServers ? [] : [wanted, instead].flatMap((name) => (name && history.tool(name) ? [name] : []));
  return (
    <>
      {wanted !== undefined && wanted !== '' && (
        <section class="panel" aria-label="The pair">
          <h3>
            <Text of={wanted} /> wanted, <Text of={instead || 'nothing'} /> first:{' '}
            {countText(chosen?.cases.length ?? 0, 'case')}
          </h3>
          {!chosen && <p class="good small">Not confused {edits.size > 0 ? 'any more' : ''}.</p>}
          {chosen && <CaseTable report={report} rows={chosen.cases} />}
          <div class="columns">
            {names.map((name) => (
              <section key={name} aria-label={`Edit ${name}`}>
                <h4>
                  <ToolLink name={name} />
                </h4>
                <ToolEditor name={name} />
              </section>
            ))}
          </div>
        </section>
      )}
      {pairs.length === 0 && <p class="good">Nothing is confused: each case has its tool in the first place.</p>}
      <Paged rows={pairs} size={50}>
        {(shown) => (
          <Lines of={shown.map((pair) => pairLine(pair, scorer, isOfServers ? 'servers' : 'pairs', pair === chosen))} />
        )}
      </Paged>
    </>
  );
}

/** The line of a pair in a list: its link, its number of cases, and some words that caused the confusion. */
export function pairLine({ wanted, instead = '', cases }: Pair, scorer: string, by = 'pairs', isCurrent = false): Line {
  const words = [...new Set(cases.flatMap(({ miss }) => miss?.word ?? []))].slice(0, 4);
  const note = `${countText(cases.length, 'case')}${words.length > 0 ? `, by ${words.join(', ')}` : ''}`;
  return { text: `${wanted} → ${instead || 'nothing'}`, href: pairHash(wanted, instead, scorer, by), note, isCurrent };
}

/** A placeholder for parts that need cases, if there are none. */
export function NoCases(): JSX.Element {
  return (
    <section class="empty">
      <h2>No cases</h2>
      <p>
        Cases are queries with the tools that they should find. With them, this page shows how many find their tool, and
        what comes first instead: pass <code>--cases FILE</code>, with a line such as{' '}
        <code>{'{ "query": "write to a colleague", "relevant": ["send_email"] }'}</code> for each. Without, ask in{' '}
        <a href={hashOf('search')}>Search</a> what your users would, and name the tool that you expect.
      </p>
    </section>
  );
}
