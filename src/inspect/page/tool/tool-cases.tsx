import type { JSX } from 'preact';
import type { CaseReport } from '../engine/engine.ts';
import { hashOf } from '../shell/route.ts';
import { Text } from '../ui/text.tsx';
import { casesOf, type ToolCase } from './cases-of-tool.ts';

interface ToolCasesProps {
  readonly name: string;
  readonly scorer: string;
  readonly report: CaseReport | undefined;
}

const MOST = 40;

/** The cases that want a tool, and the queries that find it. */
export function ToolCases({ name, scorer, report }: ToolCasesProps): JSX.Element {
  const cases = report ? casesOf(name, report.evaluation.cases, report.before.cases) : undefined;
  return (
    <section aria-labelledby="cases">
      <h3 id="cases">Queries that want it, or find it</h3>
      {cases?.length === 0 && <p class="small muted">No case has to do with this tool.</p>}
      {cases && cases.length > 0 && (
        <ul class="changes" data-list>
          {cases.slice(0, MOST).map((one) => (
            <li key={one.id} data-row-of>
              <a data-row href={hashOf('search', '', { q: one.query, a: scorer })}>
                <Text of={one.query} />
              </a>
              {one.isWanted && <span class="badge">wanted</span>}
              <span class={`number ${colourOf(one)}`}>
                {one.before && `${placeText(one.before.place)} → `}
                {placeText(one.place)}
              </span>
            </li>
          ))}
          {cases.length > MOST && <li class="muted small">{`and ${cases.length - MOST} more`}</li>}
        </ul>
      )}
    </section>
  );
}

function placeText(place: number | undefined): string {
  return place === undefined ? 'not in 10' : `${place}.`;
}

/** Green where it is wanted and first, or not wanted and not first; red where it takes a place that it should not have. */
function colourOf({ isWanted, place }: ToolCase): string {
  if (isWanted) return place === 1 ? 'good' : 'bad';
  return place === 1 ? 'bad' : 'muted';
}
