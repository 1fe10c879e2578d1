import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { given } from '../../../util/record.ts';
import type { LintFinding } from '../../../workbench/lint/check.ts';
import { usePage } from '../shell/context.ts';
import { SearchField, Select, useAnswer, useCases, useScorer, Waiting } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { countText, explained, numberText, Text, ToolLink } from '../ui/text.tsx';
import { Evidence, FindingCounts, misleads, SEVERITIES } from './findings.tsx';
import { ToolPage } from './tool.tsx';
import { ActAs, PHASES } from './user.tsx';

/** A tool with its counts; undefined for those not computed yet. */
interface ToolRow {
  readonly name: string;
  readonly server: string;
  readonly tokens: number | undefined;
  readonly findings: readonly LintFinding[] | undefined;
  /** The cases that want the tool and rank it first, and those that rank another tool first. */
  readonly won: number | undefined;
  readonly lost: number | undefined;
}

/** Sort keys of the table: numbers descending, texts in alphabetical order. */
const KEYS: Readonly<Record<string, (row: ToolRow) => number | string>> = {
  name: ({ name }) => name,
  server: ({ server }) => server,
  tokens: ({ tokens = 0 }) => tokens,
  // One error outweighs all warnings, and a misleading text any other error.
  findings: ({ findings = [] }) =>
    findings.reduce(
      (sum, one) => sum + { error: 1e6, warning: 1e3, info: 1 }[one.severity] * (misleads(one) ? 1e3 : 1),
      0,
    ),
  won: ({ won = 0 }) => won,
  lost: ({ lost = 0 }) => lost,
};

/** The page of a tool, or the table of all tools. */
export function ToolsView(): JSX.Element {
  const { route, history } = usePage();
  // The key resets the page's state, so that nothing typed for one tool stays for the next.
  return history.tool(route.name) ? <ToolPage key={route.name} name={route.name} /> : <ToolTable />;
}

function ToolTable(): JSX.Element {
  const { data, engine, edits, history, route, set, user } = usePage();
  const { settings, name: unknown } = route;
  const { scorer } = useScorer();
  const tokens = useAnswer(() => engine.tokens(), [edits]);
  const lint = useAnswer(() => engine.lint(), [edits]);
  const cases = useCases(scorer);
  const rows = useMemo(() => {
    const tokensOf = new Map(tokens.value?.map((one) => [one.name, one.tokens]));
    const findingsOf = Map.groupBy(lint.value ?? [], ({ toolName }) => toolName);
    const [won, lost] = [new Map<string, number>(), new Map<string, number>()];
    for (const { relevant, rank, found } of cases.value?.evaluation.cases ?? [])
      for (const name of rank === 1 ? found.slice(0, 1) : relevant) {
        const counts = rank === 1 ? won : lost;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    // A user's catalog may have tools that the page lacks.
    const own = user?.permitted.tools?.filter(({ name }) => !history.tool(name)) ?? [];
    return [...data.tools, ...own].map(
      ({ name, group = '' }): ToolRow => ({
        ...{ name, server: group, tokens: tokensOf.get(name) },
        findings: lint.value && (findingsOf.get(name) ?? []),
        won: cases.value && (won.get(name) ?? 0),
        lost: cases.value && (lost.get(name) ?? 0),
      }),
    );
  }, [data, tokens.value, lint.value, cases.value, user]);
  const [find = '', server = '', findings = '', only = '', sort = ''] = ['q', 'server', 'findings', 'only', 'sort'].map(
    (key) => settings.get(key),
  );
  const isReversed = settings.get('dir') === 'up';
  const may = user && Object.entries(PHASES).map(([phase]) => new Set(user.permitted[phase as keyof typeof PHASES]));
  const shown = useMemo(() => {
    const parts = find.toLowerCase().split(' ').filter(Boolean);
    const passing = rows.filter((row) => {
      const text = `${row.name} ${row.server}`.toLowerCase();
      return (
        parts.every((part) => text.includes(part)) &&
        (server === '' || row.server === server) &&
        (findings === '' || row.findings?.some((one) => one.severity === findings || one.rule === findings)) &&
        ONLY[only]?.[1](row, edits.has(row.name), may) !== false
      );
    });
    const key = KEYS[sort];
    if (!key) return passing;
    const sign = isReversed ? -1 : 1;
    return passing.sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      if (a === b) return one.name < other.name ? -1 : 1;
      return sign * (typeof a === 'number' && typeof b === 'number' ? b - a : a < b ? -1 : 1);
    });
  }, [rows, find, server, findings, only, sort, isReversed, edits, user]);
  const servers = [...new Set(rows.map((row) => row.server))].sort();
  const rules = [...Map.groupBy(lint.value ?? [], ({ rule }) => rule)].map(
    ([rule, { length }]) => [rule, length] as const,
  );
  const isOfServers = servers.length > 1;
  const keys = [
    'name',
    ...(isOfServers ? ['server'] : []),
    'tokens',
    'findings',
    ...(data.cases ? ['won', 'lost'] : []),
  ];
  const isText = sort === 'name' || sort === 'server';
  const head = [
    ...keys.map((key) => (
      <button
        key={key}
        type="button"
        class="sort"
        {...explained(key)}
        onClick={() => set({ sort: key, dir: sort === key && !isReversed ? 'up' : '' })}
      >
        {key}
        {sort === key && <span aria-hidden="true">{isReversed ? ' ▴' : ' ▾'}</span>}
      </button>
    )),
    ...Object.keys(may ? PHASES : {}),
  ];
  const cells = (row: ToolRow): readonly ComponentChildren[] => [
    <>
      {history.tool(row.name) ? (
        <ToolLink name={row.name} isRow />
      ) : (
        <>
          <Text of={row.name} /> <span class="badge">this user’s own</span>
        </>
      )}
      {edits.has(row.name) && <span class="dot" role="img" aria-label="edited" />}
      <Evidence of={row.findings} wanted={findings} isSorted={sort === 'findings'} />
    </>,
    ...(isOfServers ? [<Text key="server" of={row.server} />] : []),
    row.tokens === undefined ? '…' : numberText(row.tokens),
    <FindingCounts key="findings" of={row.findings} />,
    ...(data.cases ? [row.won ?? '…', <Lost key="lost" {...row} />] : []),
    ...(may ?? []).map((names) => {
      const [sign, says, colour] = names.has(row.name) ? ['✓', 'allowed', 'good'] : ['✕', 'denied', 'bad'];
      return (
        <>
          <span aria-hidden="true" class={colour}>
            {sign}
          </span>
          <span class="unseen">{says}</span>
        </>
      );
    }),
  ];
  return (
    <>
      <h2 class="headline">
        <b>{numberText(data.tools.length)}</b> {data.tools.length === 1 ? 'tool' : 'tools'}
      </h2>
      {unknown !== '' && (
        <p class="bad">
          There is no tool <Text of={unknown} />.
        </p>
      )}
      <div class="controls">
        <SearchField label="Names and servers" value={find} change={(q) => set({ q })} isMain />
        {servers.length > 1 && (
          <Select
            label="Server"
            isBare
            value={server}
            options={[['', 'All servers'], ...servers.map((one) => [one, one || 'no server'] as const)]}
            change={(value) => set({ server: value })}
          />
        )}
        <Select
          label="Findings"
          isBare
          value={findings}
          options={[
            ['', 'All findings, and none'],
            ...SEVERITIES.map(([severity, one, many]) => {
              const count = lint.value?.filter((finding) => finding.severity === severity).length;
              return [severity, count === undefined ? many : countText(count, one, many)] as const;
            }),
            ...rules.map(([rule, count]) => [rule, `${rule} (${count})`] as const),
          ]}
          change={(value) => set({ findings: value })}
        />
        <Select
          label="Kind"
          isBare
          value={only}
          options={Object.entries(ONLY).flatMap(([key, [title, , needs]]) =>
            needs && !{ cases: data.cases, user }[needs] ? [] : [[key, title] as const],
          )}
          change={(value) => set({ only: value })}
        />
      </div>
      <ActAs />
      <p class="muted small" role="status">
        {numberText(shown.length)} of {countText(rows.length, 'tool')},{' '}
        {countText(
          shown.reduce((sum, row) => sum + (row.tokens ?? 0), 0),
          'token',
        )}
      </p>
      {[lint, tokens, ...(data.cases ? [cases] : [])].some(({ value }) => !value) && (
        <Waiting
          answered={{ ...given({ error: lint.error ?? tokens.error ?? cases.error }) }}
          doing={`Checking ${countText(rows.length, 'tool')}`}
        />
      )}
      {rows.length === 0 && (
        <p class="empty">
          There are no tools. Pass a catalog with some: a module that exports tools, a tools.json or an mcp.json.
        </p>
      )}
      {rows.length > 0 && shown.length === 0 && <p>No tool is like that. Choose less above.</p>}
      {shown.length > 0 && (
        <Table
          key={`${find} ${server} ${findings} ${only} ${sort}`}
          {...{ name: 'Tools', class: 'tool-table', head, cells, rows: shown, keyOf: ({ name }) => name }}
          numbers={keys.flatMap((key, at) => (key === 'name' || key === 'server' ? [] : [at]))}
          sorted={{ place: keys.indexOf(sort), order: isText === isReversed ? 'descending' : 'ascending' }}
        />
      )}
    </>
  );
}

function Lost({ lost }: Pick<ToolRow, 'lost'>): JSX.Element {
  return <span class={lost ? 'bad' : ''}>{lost ?? '…'}</span>;
}

type May = readonly ReadonlySet<string>[] | undefined;

/** Filters of the table, with the data that each requires. */
const ONLY: Readonly<
  Record<
    string,
    readonly [title: string, has: (row: ToolRow, isEdited: boolean, may: May) => boolean, needs?: 'cases' | 'user']
  >
> = {
  '': ['All tools', () => true],
  edited: ['Edited', (_, isEdited) => isEdited],
  lost: ['With lost cases', ({ lost }) => lost !== undefined && lost > 0, 'cases'],
  won: ['With won cases', ({ won }) => won !== undefined && won > 0, 'cases'],
  allowed: ['Allowed', ({ name }, _, may) => may?.every((names) => names.has(name)) ?? true, 'user'],
  denied: ['Denied', ({ name }, _, may) => !may?.some((names) => names.has(name)), 'user'],
  mixed: ['In some phases', ({ name }, _, may = []) => new Set(may.map((names) => names.has(name))).size > 1, 'user'],
};
