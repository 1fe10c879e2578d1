import type { JSX } from 'preact';
import type { InspectData } from '../../data.ts';
import { Text } from './text.tsx';

interface PageScorerProps {
  readonly data: InspectData;
  /** The scorer of the page that ranks. */
  readonly scorer: string;
}

/** Says that a scorer of the page ranks the cases, where the first choice of a search is one of the server. */
export function PageScorer({ data, scorer }: PageScorerProps): JSX.Element | null {
  const [own] = data.scorers;
  if (!own || own.isLocal) return null;
  return (
    <span class="muted small">
      Ranked with the page’s {scorer}, not with <Text of={own.name} />, which only the server runs.
    </span>
  );
}
