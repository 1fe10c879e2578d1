// What has to hold, else the run fails.
import { exponentOf, type QualityFigures, type SourceFigures } from './figures.ts';

export interface CheckedBar {
  readonly name: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** nDCG points that a database may be behind the index in the process. */
const BEHIND = 2;
const P50 = 30;
const P99 = 150;
const MEGABYTES = 150;
const EXPONENT = 1;

/** The bars of what was measured. */
export function checkBars({ database = [], quality = [] }: SourceFigures): readonly CheckedBar[] {
  const bars: CheckedBar[] = [];
  const below = (name: string, limit: number, measured: number | undefined, unit = ''): void => {
    if (measured === undefined) return;
    bars.push({
      name,
      wanted: `< ${limit}${unit}`,
      measured: `${measured.toFixed(2)}${unit}`,
      isMet: measured < limit,
    });
  };
  for (const { set, behind } of differences(quality)) {
    const measured = `${behind > 0 ? '-' : '+'}${Math.abs(behind).toFixed(2)}`;
    bars.push({ name: `nDCG@10 on ${set} alone`, wanted: `≥ -${BEHIND}`, measured, isMet: behind <= BEHIND });
  }
  const most = database.at(-1);
  if (most) {
    const documents = most.documents.toLocaleString('en');
    below(`p50 at ${documents}`, P50, most.alone.p50, ' ms');
    below(`p99 at ${documents}`, P99, most.alone.p99, ' ms');
    below(`memory of the process at ${documents}`, MEGABYTES, most.megabytes, ' MB');
  }
  below('exponent of the cost from 10,000 on', EXPONENT, exponentOf(database));
  return bars;
}

/** How many points the database is behind, on each set alone. */
function differences(quality: readonly QualityFigures[]): readonly { readonly set: string; readonly behind: number }[] {
  const alone = quality.filter(({ isHidden }) => !isHidden);
  return alone
    .filter(({ engine }) => engine === 'in process')
    .flatMap(({ set, ndcg10 }) => {
      const other = alone.find((one) => one.set === set && one.engine === 'PostgreSQL');
      return other ? [{ set, behind: (ndcg10 - other.ndcg10) * 100 }] : [];
    });
}
