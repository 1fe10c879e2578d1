import './cases.css';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CaseReport } from '../engine/engine.ts';
import type { ViewProps } from '../shell/view.ts';
import { countText, percentText } from '../ui/numbers.ts';
import { useSettings } from '../ui/use-settings.ts';
import { Waiting } from '../ui/waiting.tsx';
import { BreakdownCharts } from './breakdown-charts.tsx';
import { type CaseFilter, caseRows, filterRows, isBetter, isGood } from './case-rows.ts';
import { CaseTable } from './case-table.tsx';
import { OutcomeBar } from './outcome-bar.tsx';
import { NoCases, useCases } from './use-cases.tsx';

/** How the cases go: figures, kinds of queries, and each case with what came instead. */
export function CasesView(props: ViewProps): JSX.Element {
  const { data } = props;
  const [get, set] = useSettings(props);
  const { answered, picker } = useCases(props, get('scorer'), (scorer) => set('scorer', scorer));
  if (!data.cases?.length) return <NoCases what="which queries find their tools, and what comes instead" />;
  const { value: report } = answered;
  if (!report) return <Waiting answered={answered} doing={`Searching for ${countText(data.cases.length, 'case')}`} />;
  return (
    <section class="cases" aria-labelledby="cases-title">
      <h2 id="cases-title">{countText(data.cases.length, 'case')}</h2>
      {picker && <div class="controls">{picker}</div>}
      <FigureRow report={report} topK={data.topK} />
      <BreakdownCharts cases={report.evaluation.cases} topK={data.topK} />
      <CaseList report={report} topK={data.topK} filter={get('only')} text={get('find')} set={set} />
    </section>
  );
}

/** The figures of all cases, with their intervals, and the verdicts. */
function FigureRow({
  report: { evaluation, comparison },
  topK,
}: {
  readonly report: CaseReport;
  readonly topK: number;
}): JSX.Element {
  const { figures, verdicts } = evaluation;
  const titles = { hit1: 'hit@1', recall: `recall@${topK}`, mrr: 'MRR', ndcg10: 'nDCG@10' } as const;
  return (
    <dl class="figure-row">
      {figures &&
        Object.entries(titles).map(([key, title]) => {
          const { mean, low, high } = figures[key as keyof typeof titles];
          const change = comparison?.difference?.[key as keyof typeof titles].mean ?? 0;
          return (
            <div key={key}>
              <dt>{title}</dt>
              <dd>
                <strong>{percentText(mean)}</strong>
                <span class="muted small">
                  {percentText(low)} to {percentText(high)}
                </span>
                {Math.abs(change) >= 0.0005 && (
                  <span class={change > 0 ? 'good' : 'bad'}>
                    {change > 0 ? '▲ +' : '▼ −'}
                    {(100 * Math.abs(change)).toFixed(1)} points
                  </span>
                )}
              </dd>
            </div>
          );
        })}
      {verdicts?.falseAlarms !== undefined && (
        <Verdict
          title="False alarms"
          share={verdicts.falseAlarms}
          why="A relevant tool is shown, and the model is told that probably nothing fits."
        />
      )}
      {verdicts?.missedNothings !== undefined && (
        <Verdict
          title="Missed nothings"
          share={verdicts.missedNothings}
          why="No tool serves the query, and the model is not told so."
        />
      )}
    </dl>
  );
}

function Verdict({
  title,
  share,
  why,
}: {
  readonly title: string;
  readonly share: number;
  readonly why: string;
}): JSX.Element {
  return (
    <div>
      <dt title={why}>{title}</dt>
      <dd>
        <strong>{percentText(share)}</strong>
        <span class="muted small">{why}</span>
      </dd>
    </div>
  );
}

interface ListProps {
  readonly report: CaseReport;
  readonly topK: number;
  readonly filter: string;
  readonly text: string;
  readonly set: (key: string, value: string) => void;
}

function CaseList({ report, topK, filter, text, set }: ListProps): JSX.Element {
  const { searched, before, comparison } = report;
  const rows = useMemo(() => caseRows(searched, comparison && before.cases), [report]);
  const filters: readonly (readonly [CaseFilter, string, number])[] = (
    [
      ['all', 'All'],
      ['failed', 'Not first'],
      ['verdict', 'Wrong verdict'],
      ...(comparison ? ([['moved', 'Moved by edits']] as const) : []),
    ] as const
  ).map(([key, title]) => [key, title, filterRows(rows, key, '').length]);
  const chosen = filters.find(([key]) => key === filter)?.[0] ?? 'all';
  const shown = useMemo(() => filterRows(rows, chosen, text), [rows, chosen, text]);
  const moved = rows.filter((row) => row.before !== undefined);
  return (
    <>
      <h3>
        {countText(rows.filter(isGood).length, 'case')} went right
        {moved.length > 0 &&
          `, ${moved.filter(isBetter).length} better and ${moved.length - moved.filter(isBetter).length} worse by the edits`}
      </h3>
      <OutcomeBar rows={rows} />
      <div class="controls">
        <fieldset class="choice">
          <legend class="unseen">Cases shown</legend>
          {filters.map(([key, title, count]) => (
            <label key={key}>
              <input
                type="radio"
                name="cases-shown"
                checked={chosen === key}
                onChange={() => set('only', key === 'all' ? '' : key)}
              />
              <span>
                {title} {count}
              </span>
            </label>
          ))}
        </fieldset>
        <input
          type="search"
          value={text}
          placeholder="Find a query or a tool"
          aria-label="Find a query or a tool"
          onInput={({ currentTarget }) => set('find', currentTarget.value)}
        />
      </div>
      <p class="muted small" role="status">
        {countText(shown.length, 'case')} shown
      </p>
      <CaseTable rows={shown} topK={topK} />
    </>
  );
}
