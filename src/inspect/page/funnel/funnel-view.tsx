import './funnel.css';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Funnel } from '../../../workbench/usage.ts';
import { askServer } from '../shell/ask-server.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { countText, numberText, percentText } from '../ui/numbers.ts';
import { Paged } from '../ui/paged.tsx';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/waiting.tsx';
import { type FunnelFigure, type ShownFunnel, shownFunnel } from './funnel-figures.ts';
import { type ChosenLog, LogPicker } from './log-picker.tsx';
import { StageBars } from './stage-bars.tsx';

/** How far searches came: of a log that the page was given, of one that is chosen here, or of a live processor. */
export function FunnelView({ data }: ViewProps): JSX.Element {
  const [chosen, setChosen] = useState<ChosenLog>();
  const [asked, setAsked] = useState(0);
  const isLive = data.server?.hasStats === true && data.funnel === undefined && chosen === undefined;
  const live = useAnswer(async (signal) => (isLive ? askServer({ ask: 'stats' }, signal) : undefined), [isLive, asked]);
  const funnel: Funnel | undefined = chosen?.funnel ?? data.funnel ?? live.value;
  return (
    <section class="funnel" aria-labelledby="funnel-title">
      <h2 id="funnel-title">What becomes of searches</h2>
      <div class="controls">
        {isLive && (
          <button type="button" onClick={() => setAsked(asked + 1)}>
            Ask again
          </button>
        )}
        <LogPicker choose={setChosen} />
        {chosen && (
          <p class="muted small" role="status">
            <Text of={chosen.name} />: {countText(chosen.events, 'event')}
            {chosen.broken > 0 &&
              `, ${countText(chosen.broken, 'line')} that ${chosen.broken === 1 ? 'is' : 'are'} none`}
          </p>
        )}
      </div>
      {funnel ? (
        <Figures funnel={funnel} tools={new Set(data.tools.map(({ name }) => name))} />
      ) : isLive ? (
        <Waiting answered={live} doing="Asking the processor" />
      ) : (
        <p>
          A log of events says how many searches found a tool, how many of these were loaded and called, and which
          queries found nothing. Pass <code>--log FILE</code>, or choose one here: JSON lines, an event of{' '}
          <code>onEvent</code> each. It stays in this page.
        </p>
      )}
    </section>
  );
}

function Figures({ funnel, tools }: { readonly funnel: Funnel; readonly tools: ReadonlySet<string> }): JSX.Element {
  const shown = useMemo(() => shownFunnel(funnel), [funnel]);
  if ((shown.stages[0]?.count ?? 0) === 0 && shown.events === 0) return <p>There are no events so far.</p>;
  return (
    <>
      <p class="muted">{spanText(shown)}</p>
      <StageBars stages={shown.stages} />
      <FigureCards figures={shown.figures} />
      <Tokens tokens={shown.tokens} />
      <div class="funnel-lists">
        <section aria-labelledby="unmatched-title">
          <h3 id="unmatched-title">Searches without a confident match</h3>
          <Unmatched unmatched={shown.unmatched} />
        </section>
        <section aria-labelledby="uncalled-title">
          <h3 id="uncalled-title">Loaded, and never called</h3>
          <Uncalled uncalled={shown.uncalled} tools={tools} />
        </section>
      </div>
    </>
  );
}

function spanText({ events, from, to }: ShownFunnel): string {
  const date = (time: number): string => new Date(time).toLocaleString();
  return `${countText(events, 'event')}${from === undefined || to === undefined ? '' : `, from ${date(from)} to ${date(to)}`}`;
}

function FigureCards({ figures }: { readonly figures: readonly FunnelFigure[] }): JSX.Element {
  return (
    <dl class="figure-row">
      {figures.map(({ title, value, of, why }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <strong>{numberText(value)}</strong>
            <span class="muted small">
              {of === undefined || of === 0 ? '' : `${percentText(value / of)} of ${numberText(of)}. `}
              {why}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Tokens({ tokens: { steps, sent, all } }: { readonly tokens: ShownFunnel['tokens'] }): JSX.Element | null {
  if (all === 0) return null;
  return (
    <>
      <h3>Tokens of definitions, in {countText(steps, 'step')}</h3>
      <svg class="token-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-all" width="100" height="10" />
        <rect class="bar-mean" width={(100 * sent) / all} height="10" />
      </svg>
      <p>
        {numberText(sent)} were sent, {percentText(sent / all)} of the {numberText(all)} that sending every definition
        would have cost.
      </p>
    </>
  );
}

function Unmatched({ unmatched }: Pick<ShownFunnel, 'unmatched'>): JSX.Element {
  if (unmatched.length === 0) return <p class="muted">None.</p>;
  return (
    <Paged rows={unmatched} size={25} noun="queries">
      {(rows) => (
        <ol data-list>
          {rows.map(({ query, count }) => (
            <li key={query}>
              <a data-row href={hashOf('search', '', { q: query })}>
                <Text of={query} />
              </a>{' '}
              {count > 1 && <span class="muted small">{numberText(count)} times</span>}
            </li>
          ))}
        </ol>
      )}
    </Paged>
  );
}

interface UncalledProps extends Pick<ShownFunnel, 'uncalled'> {
  /** The tools of the page: a log may name others. */
  readonly tools: ReadonlySet<string>;
}

function Uncalled({ uncalled, tools }: UncalledProps): JSX.Element {
  if (uncalled.length === 0) return <p class="muted">None.</p>;
  return (
    <Paged rows={uncalled} size={25} noun="tools">
      {(rows) => (
        <ol data-list>
          {rows.map(({ name, loaded, neverCalled }) => (
            <li key={name}>
              {tools.has(name) ? (
                <a data-row href={hashOf('tools', name)}>
                  <Text of={name} />
                </a>
              ) : (
                <Text of={name} />
              )}{' '}
              <span class="muted small">
                {numberText(neverCalled)} of {countText(loaded, 'load')}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Paged>
  );
}
