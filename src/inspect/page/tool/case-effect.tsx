import type { JSX } from 'preact';
import type { CaseChange } from '../../../workbench/evaluate/compare.ts';
import type { Figures } from '../../../workbench/evaluate/metrics.ts';
import type { InspectData } from '../../data.ts';
import type { CaseReport } from '../engine/engine.ts';
import { hashOf } from '../shell/route.ts';
import { percentText } from '../ui/numbers.ts';
import { PageScorer } from '../ui/page-scorer.tsx';
import { shownText } from '../ui/shown-text.ts';
import { Text } from '../ui/text.tsx';
import type { Answered } from '../ui/use-answer.ts';

interface CaseEffectProps {
  readonly report: Answered<CaseReport | undefined>;
  readonly hasEdits: boolean;
  readonly data: InspectData;
  readonly scorer: string;
  readonly scorers: readonly string[];
  setScorer(name: string): void;
}

/** Cases of each list. */
const MOST = 30;

/** What the edits do to all cases: the figures, and which cases got better and worse. */
export function CaseEffect({ report, hasEdits, data, scorer, scorers, setScorer }: CaseEffectProps): JSX.Element {
  const { value, isPending, error } = report;
  const { better = [], worse = [] } = (hasEdits && value?.comparison) || {};
  const unchanged = (value?.evaluation.cases.length ?? 0) - better.length - worse.length;
  return (
    <section class="effect" aria-labelledby="effect" aria-busy={isPending}>
      <div class="section-head">
        <h3 id="effect">{hasEdits ? 'All cases, with your edits' : 'All cases'}</h3>
        <select aria-label="Scorer" value={scorer} onChange={(event) => setScorer(event.currentTarget.value)}>
          {scorers.map((name) => (
            <option key={name} value={name}>
              {shownText(name)}
            </option>
          ))}
        </select>
      </div>
      <PageScorer {...{ data, scorer }} />
      {error !== undefined && <p class="bad">{shownText(error)}</p>}
      {value?.evaluation.figures && (
        <dl class="figures" data-stale={isPending || undefined}>
          <Figure name="hit1" title="First" report={value} />
          <Figure name="recall" title={`Among ${data.topK}`} report={value} />
          <Figure name="ndcg10" title="nDCG@10" report={value} />
        </dl>
      )}
      {value && hasEdits && (
        <div data-stale={isPending || undefined}>
          <Changes title="Better" class="good" changes={better} />
          <Changes title="Worse" class="bad" changes={worse} />
          <p class="small muted" role="status">
            {better.length + worse.length === 0
              ? 'No case changed its place.'
              : `${better.length} better, ${worse.length} worse, ${unchanged} unchanged.`}
          </p>
        </div>
      )}
      {!hasEdits && <p class="small muted">Edit the description or the keywords: every case is ranked anew at once.</p>}
    </section>
  );
}

interface FigureProps {
  readonly name: keyof Figures;
  readonly title: string;
  readonly report: CaseReport;
}

function Figure({ name, title, report: { before, evaluation } }: FigureProps): JSX.Element {
  const then = before.figures?.[name].mean ?? 0;
  const now = evaluation.figures?.[name].mean ?? 0;
  const change = Math.round(1_000 * (now - then)) / 10;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {percentText(now)}
        {change !== 0 && (
          <span class={change > 0 ? 'good' : 'bad'}>{` ${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(1)}`}</span>
        )}
      </dd>
    </div>
  );
}

interface ChangesProps {
  readonly title: string;
  readonly class: string;
  readonly changes: readonly CaseChange[];
}

function Changes({ title, class: colour, changes }: ChangesProps): JSX.Element | null {
  if (changes.length === 0) return null;
  return (
    <>
      <h4 class={`small ${colour}`}>{`${title} (${changes.length})`}</h4>
      <ul class="changes" data-list>
        {changes.slice(0, MOST).map(({ id, query, before, after }) => (
          <li key={id} data-row-of>
            <a data-row href={hashOf('search', '', { q: query })}>
              <Text of={query} />
            </a>
            <span class={`number ${colour}`}>
              {before ?? 'not found'} → {after ?? 'not found'}
            </span>
          </li>
        ))}
        {changes.length > MOST && <li class="muted small">{`and ${changes.length - MOST} more`}</li>}
      </ul>
    </>
  );
}
