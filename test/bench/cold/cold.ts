import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { plainCatalog } from '../speed/catalogs.ts';
import { queriesFor } from '../speed/queries.ts';
import { type ColdFigure, coldSearches } from './measure.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The sizes that are measured unless others are asked for. */
export const SIZES: readonly number[] = [100, 1_000, 10_000, 50_000];

/** What is measured. */
export interface ColdOptions {
  readonly sizes?: readonly number[];
  /** A folder that holds tools.jsonl, or `generated`. */
  readonly catalog?: string | undefined;
  /** JSON lines with a `query` each, or `generated`. */
  readonly queries?: string | undefined;
  /** Processes of each; without it, the fewer, the more tools. */
  readonly rounds?: number | undefined;
  /** The main entry; without it, that of the built package. */
  readonly build?: string | undefined;
  /** The main entry of another one, as "other". */
  readonly beside?: string | undefined;
}

/** First searches in processes that have searched nothing yet, beside @mastra/core's. */
export interface Cold {
  /** Where the tools and the queries are from. */
  readonly catalog: string;
  readonly queries: string;
  readonly figures: readonly ColdFigure[];
}

/** Measures each size in turn. */
export async function coldStarts(
  { sizes = SIZES, catalog: folder, queries: file, rounds, build = built(), beside }: ColdOptions,
  progress: (line: string) => void = () => {},
): Promise<Cold> {
  const catalog = plainCatalog(folder);
  const queries = queriesFor(catalog, file);
  const others = beside === undefined ? [] : [['other', beside] as const];
  const contestants = new Map([['core', undefined], ['ours', build], ...others]);
  const figures: ColdFigure[] = [];
  for (const size of sizes) {
    progress(`cold start: ${size} tools`);
    figures.push(
      await coldSearches({
        ...{ catalog, size, contestants, queries: queries.texts },
        rounds: rounds ?? roundsFor(size),
      }),
    );
  }
  return { catalog: catalog.name, queries: `${queries.name}, ${queries.texts.length}`, figures };
}

function roundsFor(size: number): number {
  return size <= 1_000 ? 15 : size <= 10_000 ? 7 : 3;
}

/** Builds the package as it is now. */
function built(): string {
  execFileSync('npm', ['run', 'build', '--silent', '--', '--silent'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path.join(ROOT, 'dist/index.js');
}
