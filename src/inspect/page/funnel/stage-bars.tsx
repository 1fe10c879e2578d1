import type { JSX } from 'preact';
import { numberText, percentText } from '../ui/numbers.ts';
import { Text } from '../ui/text.tsx';
import type { DrawnStage } from './funnel-figures.ts';

/** Stages as bars, each of the width of its share, with what was lost between two. */
export function StageBars({ stages }: { readonly stages: readonly DrawnStage[] }): JSX.Element {
  return (
    <table class="stages">
      <caption class="unseen">Searches, by how far they came</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">stage</th>
          <th scope="col">searches</th>
        </tr>
      </thead>
      <tbody>
        {stages.map(({ title, count, share, lost }) => (
          <tr key={title}>
            <th scope="row">
              <Text of={title} />
            </th>
            <td>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar-all" width="100" height="10" />
                <rect class="bar-mean" width={100 * share} height="10" />
              </svg>
              <span>
                <strong>{numberText(count)}</strong> <span class="muted">{percentText(share)}</span>
                {lost > 0 && <span class="bad small"> −{numberText(lost)} on the way</span>}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
