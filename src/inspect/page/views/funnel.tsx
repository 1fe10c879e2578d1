import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Funnel } from '../../../workbench/usage.ts';
import { askServer } from '../shell/ask-server.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { Paged, useAnswer, Waiting } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { Bar, countText, type Line, Lines, numberText, percentText, Text, ToolLink } from '../ui/text.tsx';

const STAGES: Readonly<Record<Funnel['stages'][number]['name'], string>> = {
  ...{ searches: 'searched', found: 'found a tool', loaded: 'loaded it', called: 'called it' },
};

/** Milliseconds between two polls of a live processor. */
const POLL = 3_000;
/** Number of rows of a list at first. */
const FEW = 10;

/** The funnel of a log, or of a live processor, which is polled. */
export function FunnelSection(): JSX.Element {
  const { data } = usePage();
  const isLive = data.server?.hasStats === true && data.funnel === undefined;
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => setAsked((before) => before + 1), POLL);
    return () => clearInterval(timer);
  }, [isLive]);
  const live = useAnswer(async (signal) => (isLive ? askServer({ ask: 'stats' }, signal) : undefined), [isLive, asked]);
  const funnel: Funnel | undefined = data.funnel ?? live.value;
  return (
    <section class="funnel" aria-labelledby="funnel-title">
      <h3 id="funnel-title">{isLive ? 'What the agent searched' : 'What becomes of searches'}</h3>
      {isLive && live.error !== undefined && (
        <p class="bad small" role="alert">
          <Text of={live.error} />
        </p>
      )}
      {funnel ? (
        <Figures funnel={funnel} />
      ) : isLive ? (
        <Waiting answered={live} doing="Asking the processor" />
      ) : (
        <p class="muted small">
          A log of events says how many searches found a tool, how many of these were loaded and called, and which
          queries found nothing. Pass <code>--log FILE</code>: JSON lines, an event of <code>onEvent</code> each.
        </p>
      )}
    </section>
  );
}

/** The last queries, the stages of searches, and the unmatched queries. */
function Figures({ funnel }: { readonly funnel: Funnel }): JSX.Element {
  const { history } = usePage();
  const { stages, searches, calls, turnsSaved, tools, unmatched, tokens, events, recent = [] } = funnel;
  const first = stages[0]?.count ?? 0;
  if (first === 0 && events === 0) return <p>There are no events so far.</p>;
  const figures: readonly (readonly [title: string, value: number, of: number])[] = [
    ['searches after one that led to nothing', searches.askedAgain, searches.total],
    ['calls that failed', calls.failed, calls.total],
    ['model calls that were not needed', turnsSaved.total, 0],
  ];
  const uncalled = tools.filter(({ neverCalled }) => neverCalled > 0);
  uncalled.sort((one, other) => other.neverCalled - one.neverCalled || (one.name < other.name ? -1 : 1));
  const lost = (at: number): number => (stages[at - 1]?.count ?? 0) - (stages[at]?.count ?? 0);
  return (
    <>
      <p class="muted small">
        {countText(events, 'event')}
        {spanOf(funnel)}
      </p>
      {recent.length > 0 && (
        <Table
          {...{ name: 'The last searches', class: 'recent stacked', numbers: [2], size: FEW, rows: recent }}
          head={['Searched', 'Outcome', 'Times', 'Last']}
          keyOf={({ query }) => query}
          cells={(search) => [
            <a key="query" data-row href={hashOf('search', '', { q: search.query })}>
              <Text of={search.query} />
            </a>,
            <Outcome key="outcome" {...search} />,
            numberText(search.count),
            isTime(search.time) && (
              <time class="small muted" dateTime={new Date(search.time).toISOString()}>
                {new Date(search.time).toLocaleTimeString()}
              </time>
            ),
          ]}
        />
      )}
      <div class="cards">
        <Listed
          title="Searches without a confident match"
          lines={unmatched.map(({ query, count }) => ({
            ...{ text: query, href: hashOf('search', '', { q: query }) },
            note: count > 1 ? `${numberText(count)} times` : '',
          }))}
        />
        <Listed
          title="Loaded, and never called"
          lines={uncalled.map(({ name, loaded, neverCalled }) => ({
            ...{ text: name, href: history.tool(name) && hashOf('tools', name) },
            note: `${numberText(neverCalled)} of ${countText(loaded, 'load')}`,
          }))}
        />
      </div>
      <Table
        {...{ name: 'Searches, by how far they came', class: 'stages', numbers: [2, 3, 4], rows: stages }}
        keyOf={({ name }) => name}
        cells={({ name, count }, at) => [
          STAGES[name],
          <Bar key="bar" share={first > 0 ? count / first : 0} />,
          <strong key="count">{numberText(count)}</strong>,
          <span key="share" class="muted">
            {percentText(first > 0 ? count / first : 0)}
          </span>,
          lost(at) > 0 && <span class="bad small">−{numberText(lost(at))} on the way</span>,
        ]}
      />
      <ul class="facts small">
        {figures
          .filter(([, value]) => value > 0)
          .map(([title, value, of]) => (
            <li key={title}>
              <strong>{numberText(value)}</strong> {title}
              {of > 0 && <span class="muted"> ({percentText(value / of)})</span>}
            </li>
          ))}
        {tokens.all > 0 && (
          <li>
            <strong>{numberText(tokens.sent)}</strong> tokens of definitions were sent in{' '}
            {countText(tokens.steps, 'step')}, {percentText(tokens.sent / tokens.all)} of the {numberText(tokens.all)}{' '}
            of all
          </li>
        )}
      </ul>
    </>
  );
}

/** The outcome of the last search for a query. */
function Outcome({ found, first = '', verdict, loaded, called }: Funnel['recent'][number]): JSX.Element {
  const named = (says: string, name: string, colour: string): JSX.Element => (
    <>
      <span class={colour}>{says}</span> <ToolLink name={name} />
    </>
  );
  if (called !== undefined) return named('called', called, 'good');
  if (loaded !== undefined) return named('not called: loaded', loaded, 'warn');
  if (found === 0) return <span class="bad">found nothing</span>;
  const told = verdict === undefined || verdict === 'fits' ? 'not used: found' : 'told that probably nothing fits:';
  return named(told, first, verdict === undefined || verdict === 'fits' ? 'warn' : 'bad');
}

/** Whether a time can be formatted: a log may contain any number. */
function isTime(time: number | undefined): time is number {
  return time !== undefined && Math.abs(time) <= 8.64e15;
}

function Listed({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }): JSX.Element {
  return (
    <section>
      <h4>{title}</h4>
      {lines.length === 0 && <p class="muted">None.</p>}
      <Paged rows={lines} size={FEW}>
        {(rows) => <Lines of={rows} />}
      </Paged>
    </section>
  );
}

/** The time span of the events, if its times can be formatted. */
function spanOf({ from = Number.NaN, to = Number.NaN }: Funnel): string {
  const date = (time: number): string => new Date(time).toLocaleString();
  return isTime(from) && isTime(to) ? `, from ${date(from)} to ${date(to)}` : '';
}
