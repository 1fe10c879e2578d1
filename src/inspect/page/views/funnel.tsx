import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../../kit.ts';
import { funnel as funnelOf, parseEvents } from '../../../workbench/funnel.ts';
import type { Funnel } from '../../../workbench/usage.ts';
import { askServer } from '../shell/ask-server.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { Paged, useAnswer, Waiting } from '../ui/parts.tsx';
import { Bar, countText, type Line, Lines, numberText, percentText, Text } from '../ui/text.tsx';

/** A log that was chosen in the page. */
interface ChosenLog {
  readonly funnel: Funnel;
  /** Its name, and what is in it. */
  readonly says: string;
}

const STAGES: Readonly<Record<Funnel['stages'][number]['name'], string>> = {
  ...{ searches: 'searched', found: 'found a tool', loaded: 'loaded it', called: 'called it' },
};

/** How far searches came: of a log that the page was given, of one that is chosen here, or of a live processor. */
export function FunnelSection(): JSX.Element {
  const { data } = usePage();
  const [chosen, setChosen] = useState<ChosenLog>();
  const [asked, setAsked] = useState(0);
  const isLive = data.server?.hasStats === true && data.funnel === undefined && chosen === undefined;
  const live = useAnswer(async (signal) => (isLive ? askServer({ ask: 'stats' }, signal) : undefined), [isLive, asked]);
  const funnel = chosen?.funnel ?? data.funnel ?? live.value;
  return (
    <section class="funnel" aria-labelledby="funnel-title">
      <h3 id="funnel-title">What becomes of searches</h3>
      <div class="controls">
        {isLive && (
          <button type="button" onClick={() => setAsked(asked + 1)}>
            Ask again
          </button>
        )}
        <LogPicker choose={setChosen} />
        {chosen && (
          <p class="muted small" role="status">
            <Text of={chosen.says} />
          </p>
        )}
      </div>
      {funnel ? (
        <Figures funnel={funnel} />
      ) : isLive ? (
        <Waiting answered={live} doing="Asking the processor" />
      ) : (
        <p class="muted small">
          A log of events says how many searches found a tool, how many of these were loaded and called, and which
          queries found nothing. Pass <code>--log FILE</code>, or choose one here: JSON lines, an event of{' '}
          <code>onEvent</code> each. It stays in this page.
        </p>
      )}
    </section>
  );
}

/** Takes a log: chosen, or dropped anywhere on the page. It is read here, and sent nowhere. */
function LogPicker({ choose }: { readonly choose: (log: ChosenLog) => void }): JSX.Element {
  const [error, setError] = useState('');
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      const { events, broken } = parseEvents(await file.text());
      setError(events.length === 0 ? `${file.name} has no event: a line is JSON such as { "type": "search", … }.` : '');
      const lines = broken > 0 ? `, ${countText(broken, 'line that is', 'lines that are')} none` : '';
      if (events.length > 0)
        choose({ funnel: funnelOf(events), says: `${file.name}: ${countText(events.length, 'event')}${lines}` });
    } catch (reason) {
      setError(`${file.name} cannot be read: ${messageOf(reason)}`);
    }
  };
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      void read(event.dataTransfer?.files[0]);
    };
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  });
  return (
    <>
      <label class="file small">
        A log of events{' '}
        <input
          type="file"
          accept=".jsonl,.ndjson,.log,.txt,.json"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
      </label>
      {error !== '' && (
        <p class="bad small" role="alert">
          <Text of={error} />
        </p>
      )}
    </>
  );
}

function Figures({ funnel }: { readonly funnel: Funnel }): JSX.Element {
  const { history } = usePage();
  const { stages, searches, loads, calls, misses, turnsSaved, tools, unmatched, tokens, events } = funnel;
  const first = stages[0]?.count ?? 0;
  if (first === 0 && events === 0) return <p>There are no events so far.</p>;
  const figures: readonly (readonly [title: string, value: number, of: number])[] = [
    ['searches without a confident match', searches.unmatched, searches.total],
    ['searches after one that led to nothing', searches.askedAgain, searches.total],
    ['loads of which no call came', loads.neverCalled, loads.total],
    ['loads of unknown names', loads.notFound, 0],
    ['loads that the filter denied', loads.denied, 0],
    ['calls that failed', calls.failed, calls.total],
    ['calls of tools that were not sent', misses.total, 0],
    ['of these, lost', misses.lost, misses.total],
    ['model calls that were not needed', turnsSaved.total, 0],
  ];
  const uncalled = tools.filter(({ neverCalled }) => neverCalled > 0);
  uncalled.sort((one, other) => other.neverCalled - one.neverCalled || (one.name < other.name ? -1 : 1));
  return (
    <>
      <p class="muted small">
        {countText(events, 'event')}
        {spanOf(funnel)}
      </p>
      <table class="stages">
        <caption class="unseen">Searches, by how far they came</caption>
        <tbody>
          {stages.map(({ name, count }, at) => (
            <tr key={name}>
              <th scope="row">{STAGES[name]}</th>
              <td class="wide">
                <Bar share={first > 0 ? count / first : 0} />
              </td>
              <td class="number">
                <strong>{numberText(count)}</strong>
              </td>
              <td class="number muted">{percentText(first > 0 ? count / first : 0)}</td>
              <td class="number bad small">
                {(stages[at - 1]?.count ?? count) > count &&
                  `−${numberText((stages[at - 1]?.count ?? count) - count)} on the way`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="facts small">
        {figures.map(([title, value, of]) => (
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
    </>
  );
}

function Listed({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }): JSX.Element {
  return (
    <section>
      <h4>{title}</h4>
      {lines.length === 0 && <p class="muted">None.</p>}
      <Paged rows={lines} size={10}>
        {(rows) => <Lines of={rows} />}
      </Paged>
    </section>
  );
}

/** From when to when, where the log tells times that have a text. */
function spanOf({ from = Number.NaN, to = Number.NaN }: Funnel): string {
  const date = (time: number): string => new Date(time).toLocaleString();
  return Math.abs(from) <= 8.64e15 && Math.abs(to) <= 8.64e15 ? `, from ${date(from)} to ${date(to)}` : '';
}
