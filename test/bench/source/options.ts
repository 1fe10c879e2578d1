import { parseArgs } from 'node:util';

export const PARTS = ['speed', 'quality', 'process'] as const;
export type Part = (typeof PARTS)[number];

export const USAGE: string = `npm run bench:source -- [options]
  --documents N    so many documents instead of 1,000,000
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --data FOLDER    where the database is kept: what a run has loaded there, the next one does not load again
  --only A,B       of ${PARTS.join(', ')}; or none
  --plot FILE      the measured lines, as SVG
  --json FILE      all figures, as JSON
  --from FILE      what is not measured is told as the figures in this file have it`;

export interface SourceBenchOptions {
  readonly documents: number;
  readonly sets: string | undefined;
  readonly data: string | undefined;
  readonly parts: ReadonlySet<Part>;
  readonly plot: string | undefined;
  readonly json: string | undefined;
  readonly from: string | undefined;
  readonly isHelp: boolean;
}

/** @throws Error for what cannot be measured. */
export function sourceBenchOptions(args: readonly string[]): SourceBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      documents: { type: 'string', default: '1000000' },
      sets: { type: 'string' },
      data: { type: 'string' },
      only: { type: 'string', default: PARTS.join(',') },
      plot: { type: 'string' },
      json: { type: 'string' },
      from: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { sets, data, plot, json, from } = values;
  const documents = Number(values.documents);
  if (!Number.isInteger(documents) || documents < 1_000)
    throw new Error(`--documents is a whole number from 1,000 on, not "${values.documents}".\n${USAGE}`);
  const wanted = values.only === 'none' ? [] : values.only.split(',').map((part) => part.trim());
  const unknown = wanted.filter((part) => !PARTS.includes(part as Part));
  if (unknown.length > 0) throw new Error(`There is no part "${unknown.join('", "')}".\n${USAGE}`);
  return { documents, sets, data, plot, json, from, parts: new Set(wanted as Part[]), isHelp: values.help };
}
