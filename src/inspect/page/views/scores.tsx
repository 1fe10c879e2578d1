import type { ComponentChildren, JSX } from 'preact';
import type { SearchedCase } from '../../../workbench/evaluate/measure.ts';
import type { Figure } from '../../../workbench/evaluate/metrics.ts';
import type { CaseReport } from '../engine/engine.ts';
import { usePage } from '../shell/context.ts';
import { hashOf } from '../shell/route.ts';
import { countText, numberText, percentText, Term } from '../ui/text.tsx';

/** Whether a case wants a tool and finds none: nothing matches, or the model is told so and not shown the tool. */
export function findsNothing({ result: { relevant, found, isWeak }, isShown }: SearchedCase): boolean {
  return relevant.length > 0 && (found.length === 0 || (isWeak === true && !isShown));
}

/** A rank as a phrase in a sentence. */
export function placeText(rank: number | undefined): string {
  return rank === undefined ? 'not found' : `place ${numberText(rank)}`;
}

/** The shares of cases that succeed, as the views over cases show them, the most important first. */
export function Scores({ report, scorer }: { readonly report: CaseReport; readonly scorer: string }): JSX.Element {
  const { data } = usePage();
  const { evaluation, before, comparison, searched } = report;
  const { figures, verdicts } = evaluation;
  const link = (only: string): string => hashOf('cases', '', { only, scorer });
  const changeOf = (key: 'hit1' | 'recall' | 'ndcg10'): number => comparison?.difference?.[key].mean ?? 0;
  const nothing = searched.filter(findsNothing).length;
  const wanting = searched.filter(({ result }) => result.relevant.length > 0).length;
  return (
    <>
      {figures && (
        <p class="headline">
          <a class={colourOf(figures.hit1)} href={link('failed')}>
            {percentText(figures.hit1.mean)}
          </a>
          <span>
            of {countText(wanting, 'case')} {wanting === 1 ? 'has its tool' : 'have their tool'}{' '}
            <Term of="first">first</Term>
            <Interval {...figures.hit1} change={changeOf('hit1')} />
          </span>
        </p>
      )}
      <dl class="gauges">
        {figures && (
          <>
            <Gauge term={<Term of="among">Among {data.topK}</Term>}>
              <a href={link('missed')}>{percentText(figures.recall.mean)}</a>
              <Interval {...figures.recall} change={changeOf('recall')} />
            </Gauge>
            <Gauge term={<Term of="ndcg">nDCG@10</Term>}>
              <a href={link('failed')}>{percentText(figures.ndcg10.mean)}</a>
              <Interval {...figures.ndcg10} change={changeOf('ndcg10')} />
            </Gauge>
          </>
        )}
        <Gauge term={<Term of="nothing">Find nothing</Term>}>
          <a class={nothing > 0 ? 'bad' : ''} href={link('nothing')}>
            {numberText(nothing)}
          </a>
          <span class="small muted"> of {countText(wanting, 'case')}</span>
        </Gauge>
        {verdicts && (
          <Gauge term={<Term of="verdicts">Wrong verdicts</Term>}>
            <a href={link('verdict')}>{percentText(verdicts.falseAlarms ?? 0)}</a>
            <span class="small muted">
              {' '}
              of those with a tool shown
              <Change by={(before.verdicts?.falseAlarms ?? 0) - (verdicts.falseAlarms ?? 0)} isFall />
              {verdicts.missedNothings !== undefined &&
                `; ${percentText(verdicts.missedNothings)} of those that nothing fits`}
              <Change by={(before.verdicts?.missedNothings ?? 0) - (verdicts.missedNothings ?? 0)} isFall />
            </span>
          </Gauge>
        )}
      </dl>
    </>
  );
}

/** The colour of a share of successful cases. */
function colourOf({ mean }: Figure): string {
  return mean >= 0.9 ? 'good' : mean >= 0.5 ? 'warn' : 'bad';
}

function Gauge({ term, children }: { term: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The interval of a share, and the effect of the edits on it. */
export function Interval({ low, high, change = 0 }: Omit<Figure, 'mean'> & { readonly change?: number }): JSX.Element {
  return (
    <span class="small muted">
      {' '}
      {percentText(low)} to {percentText(high)}
      <Change by={change} />
    </span>
  );
}

/** The effect of the edits on a share: improved or worse; a share of errors improves when it falls. */
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
