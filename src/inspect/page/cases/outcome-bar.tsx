import type { JSX } from 'preact';
import { countText } from '../ui/numbers.ts';
import type { CaseRow, Outcome } from './case-rows.ts';
import { OUTCOMES } from './outcomes.ts';

/** All cases as one bar, a part for each outcome. */
export function OutcomeBar({ rows }: { readonly rows: readonly CaseRow[] }): JSX.Element {
  const counts = (Object.keys(OUTCOMES) as Outcome[])
    .map((outcome) => ({ outcome, count: rows.filter((row) => row.outcome === outcome).length }))
    .filter(({ count }) => count > 0);
  return (
    <ul class="outcome-bar" aria-label="Outcomes">
      {counts.map(({ outcome, count }) => (
        <li key={outcome} class={OUTCOMES[outcome].kind} style={{ flexGrow: count }} title={countText(count, 'case')}>
          <span class="outcome-part" aria-hidden="true" />
          {count} {OUTCOMES[outcome].words}
        </li>
      ))}
    </ul>
  );
}
