import type { ComponentChildren, JSX } from 'preact';
import type { SearchedCase } from '../../../workbench/evaluate/measure.ts';
import type { Figure } from '../../../workbench/evaluate/metrics.ts';
import type { CaseReport } from '../engine/engine.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { countText, numberText, percentText, Term } from '../ui/text.tsx';

/** Whether a case wants a tool and finds none: nothing matches, or the model is told so, and is not shown the tool. */
export function findsNothing({ result: { relevant, found, isWeak }, isShown }: SearchedCase): boolean {
  return relevant.length > 0 && (found.length === 0 || (isWeak === true && !isShown));
}

/** A place in a sentence. */
export function placeText(rank: number | undefined): string {
  return rank === undefined ? 'not found' : `place ${numberText(rank)}`;
}

/** The shares of the cases that go well, as the views over cases show them. */
export function Scores({ report, scorer }: { readonly report: CaseReport; readonly scorer: string }): JSX.Element {
  const { data } = usePage();
  const { evaluation, before, comparison, searched } = report;
  const { figures, verdicts } = evaluation;
  const link = (only: string): string => hashOf('cases', '', { only, scorer });
  const gauge = (term: 'first' | 'among' | 'ndcg', title: string, key: 'hit1' | 'recall' | 'ndcg10', only: string) =>
    figures && (
      <Gauge figure={figures[key]} change={comparison?.difference?.[key].mean ?? 0} href={link(only)}>
        <Term of={term}>{title}</Term>
      </Gauge>
    );
  const nothing = searched.filter(findsNothing).length;
  return (
    <dl class="gauges">
      {gauge('first', 'First', 'hit1', 'failed')}
      {gauge('among', `Among ${data.topK}`, 'recall', 'missed')}
      {gauge('ndcg', 'nDCG@10', 'ndcg10', 'failed')}
      <div>
        <dt>
          <Term of="nothing">Find nothing</Term>
        </dt>
        <dd>
          <a class={nothing > 0 ? 'bad' : 'good'} href={link('nothing')}>
            {numberText(nothing)}
          </a>
          <span class="small muted">of {countText(searched.length, 'case')}</span>
        </dd>
      </div>
      {verdicts && (
        <div>
          <dt>
            <Term of="verdicts">Wrong verdicts</Term>
          </dt>
          <dd>
            <a href={link('verdict')}>{percentText(verdicts.falseAlarms ?? 0)}</a>
            <span class="small muted">
              of those with a tool shown
              <Change by={(before.verdicts?.falseAlarms ?? 0) - (verdicts.falseAlarms ?? 0)} isFall />
              {verdicts.missedNothings !== undefined &&
                `; ${percentText(verdicts.missedNothings)} of those that nothing fits`}
              <Change by={(before.verdicts?.missedNothings ?? 0) - (verdicts.missedNothings ?? 0)} isFall />
            </span>
          </dd>
        </div>
      )}
    </dl>
  );
}

interface GaugeProps {
  readonly figure: Figure;
  readonly change: number;
  readonly href: string;
  readonly children: ComponentChildren;
}

/** A share as a ring, with its interval, and what the edits did to it. */
function Gauge({ figure: { mean, low, high }, change, href, children }: GaugeProps): JSX.Element {
  const colour = mean >= 0.9 ? 'good' : mean >= 0.5 ? 'warn' : 'bad';
  return (
    <div class={colour}>
      <dt>{children}</dt>
      <dd>
        <svg class="ring" viewBox="0 0 40 40" aria-hidden="true">
          <circle cx="20" cy="20" r="17" />
          <circle cx="20" cy="20" r="17" pathLength="100" stroke-dasharray={`${100 * mean} 100`} class="ring-part" />
        </svg>
        <a class={colour} href={href}>
          {percentText(mean)}
        </a>
        <span class="small muted">
          {percentText(low)} to {percentText(high)}
          <Change by={change} />
        </span>
      </dd>
    </div>
  );
}

/** What the edits did to a share: by how much it is better, or worse; a share of faults is better where it falls. */
function Change({ by, isFall = false }: { readonly by: number; readonly isFall?: boolean }): JSX.Element | null {
  if (Math.abs(by) < 0.0005) return null;
  return (
    <b class={by > 0 ? 'good' : 'bad'}>
      {' '}
      {by > 0 === isFall ? '−' : '+'}
      {(100 * Math.abs(by)).toFixed(1)}
    </b>
  );
}
