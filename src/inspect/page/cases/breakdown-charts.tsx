import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { CaseResult } from '../../../workbench/evaluate/measure.ts';
import type { Figures } from '../../../workbench/evaluate/metrics.ts';
import { countText, percentText } from '../ui/numbers.ts';
import { byLength, byStyle, type Slice } from './breakdown.ts';

interface Props {
  readonly cases: readonly CaseResult[];
  readonly topK: number;
}

/** How well queries of each length and style find their tools. */
export function BreakdownCharts({ cases, topK }: Props): JSX.Element {
  const [figure, setFigure] = useState<keyof Figures>('recall');
  const titles: Readonly<Record<keyof Figures, string>> = {
    recall: `recall@${topK}`,
    hit1: 'hit@1',
    mrr: 'MRR',
    ndcg10: 'nDCG@10',
  };
  const lengths = useMemo(() => byLength(cases, figure), [cases, figure]);
  const styles = useMemo(() => byStyle(cases, figure), [cases, figure]);
  const title = titles[figure];
  return (
    <section class="breakdown" aria-label="By length and style">
      <div class="controls">
        <label>
          Figure{' '}
          <select value={figure} onChange={({ currentTarget }) => setFigure(currentTarget.value as keyof Figures)}>
            {Object.entries(titles).map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="charts">
        <Bars title={`${title} by length of the query`} slices={lengths} />
        <Bars title={`${title} by style of the query`} slices={styles} />
      </div>
      <p class="muted small">
        The line over a bar is the interval that holds the mean on 95 of 100 other draws of the cases. A query is a
        question with a question mark or an asking word in front; keywords where it has no little words; a command where
        a verb such as “list” stands in front; else a sentence.
      </p>
    </section>
  );
}

/** Units of a bar of 100 %. */
const FULL = 100;

function Bars({ title, slices }: { readonly title: string; readonly slices: readonly Slice[] }): JSX.Element {
  return (
    <table class="bars">
      <caption>{title}</caption>
      <tbody>
        {slices.map(({ label, count, figure }) => (
          <tr key={label}>
            <th scope="row">
              {label} <span class="muted">{countText(count, 'case')}</span>
            </th>
            <td class="bar-cell">
              <svg viewBox={`0 0 ${FULL} 10`} preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar-all" width={FULL} height="10" />
                {figure && <rect class="bar-mean" width={FULL * figure.mean} height="10" />}
                {figure && <line class="bar-interval" x1={FULL * figure.low} x2={FULL * figure.high} y1="5" y2="5" />}
              </svg>
            </td>
            <td class="number">
              {figure ? (
                <>
                  {percentText(figure.mean)}
                  <span class="muted small interval">
                    {percentText(figure.low)} to {percentText(figure.high)}
                  </span>
                </>
              ) : (
                '–'
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
