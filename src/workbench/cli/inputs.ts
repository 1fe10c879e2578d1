import path from 'node:path';
import type { EvaluationCase } from '../../entries/evaluate.ts';
import type { ToolScorer } from '../../index.ts';
import { checkFile, type LoadedCatalog, readText, timeoutOf } from './catalog/load.ts';
import type { Call, CommandOption, Values } from './command.ts';
import { shown, type Terminal, UsageError } from './terminal.ts';

/** The scorers that a command knows by name: all that need no model. */
const SCORERS: ReadonlyMap<string, () => Promise<ToolScorer>> = new Map([
  ['meaning', async () => (await import('../../index.ts')).wordsAndMeaningScorer()],
  ['bm25', async () => (await import('../../index.ts')).bm25Scorer()],
  ['tiered', async () => (await import('../../index.ts')).tieredScorer()],
  ['minisearch', async () => (await import('../../entries/minisearch.ts')).miniSearchScorer()],
  [
    'synonyms',
    async () => {
      const { toolSynonyms: synonyms } = await import('../../entries/synonyms.ts');
      return { ...(await import('../../index.ts')).bm25Scorer({ synonyms }), name: 'synonyms' };
    },
  ],
]);

/** The ranking that a processor has by default, and the one by words alone. */
const DEFAULT = 'meaning';
export const WORDS = 'bm25';
/** Other names of scorers, as reports write them. */
const ALIASES: ReadonlyMap<string, string> = new Map([['words and meaning', DEFAULT]]);

export const scorerOption: CommandOption = {
  hint: 'NAME|FILE',
  values: [...SCORERS.keys()],
  text: 'The ranking: a name, or a module with your own; else that of CATALOG, else meaning',
};

export const embedderOption: CommandOption = {
  hint: 'FILE',
  text: 'A module with an embedding model, as search.embedder takes it: adds the ranking by it',
};

/**
 * The scorers that a call names (or their files); else those of the catalog's module; else those of `names`. The scorer of
 * `--embedder` comes last.
 *
 * @throws UsageError as `scorersCalled`, and for a module without an embedding model.
 */
export async function scorersOf(
  { values }: Call,
  catalog: LoadedCatalog,
  names: readonly string[] = [DEFAULT],
): Promise<readonly ToolScorer[]> {
  const isOfCatalog = catalog.scorers && !isScorerCalled(values);
  const called = isScorerCalled(values) ? values.texts('scorer') : names;
  const scorers = isOfCatalog ? catalog.scorers : await scorersCalled(called, values);
  return [...scorers, ...(await embedderScorer(values))];
}

/** The scorer of `--embedder`; none without it. */
export async function embedderScorer(values: Values): Promise<readonly ToolScorer[]> {
  const file = values.text('embedder');
  return file === undefined ? [] : [await meaningOf(file, timeoutOf(values))];
}

export function isScorerCalled(values: Values): boolean {
  return values.texts('scorer').length > 0;
}

/** The ranking of `search.embedder`, except that a search waits for the vectors. */
async function meaningOf(file: string, milliseconds: number): Promise<ToolScorer> {
  checkFile(file);
  const { importModule } = await import('./catalog/module.ts');
  const exported = await importModule(file, milliseconds);
  const found = exported['embedder'] ?? exported['default'];
  if (found === undefined)
    throw new UsageError(`${shown(file)} exports no embedding model. Export one as "embedder" or by default.`);
  const { wordsAndModelScorer } = await import('../../entries/semantic.ts');
  return { ...wordsAndModelScorer(found as never), name: 'words and embedder' };
}

/**
 * Loads scorers by name or file.
 *
 * @throws UsageError for an unknown name, and a module without a scorer.
 */
export async function scorersCalled(names: readonly string[], values: Values): Promise<readonly ToolScorer[]> {
  const scorers = names.map(async (name): Promise<readonly ToolScorer[]> => {
    const named = SCORERS.get(ALIASES.get(name) ?? name);
    return named ? [await named()] : scorersIn(name, timeoutOf(values));
  });
  return (await Promise.all(scorers)).flat();
}

async function scorersIn(file: string, milliseconds: number): Promise<readonly ToolScorer[]> {
  if (path.extname(file) === '') {
    const names = [...SCORERS.keys()].join(', ');
    throw new UsageError(`There is no scorer "${shown(file)}". There are ${names}; or give a module with your own.`);
  }
  checkFile(file);
  const { importModule } = await import('./catalog/module.ts');
  const exported = await importModule(file, milliseconds);
  const found = exported['scorers'] ?? exported['scorer'] ?? exported['default'];
  const scorers: readonly unknown[] = Array.isArray(found) ? found : [found];
  if (scorers.length > 0 && scorers.every(isScorer)) return scorers;
  throw new UsageError(`${shown(file)} exports no scorer. Export one as "scorer" or by default, several as "scorers".`);
}

function isScorer(value: unknown): value is ToolScorer {
  const { name, index } = (value ?? {}) as Partial<ToolScorer>;
  return typeof name === 'string' && typeof index === 'function';
}

/**
 * Reads the cases of a file, JSON lines or a JSON list; `-` is stdin.
 *
 * @throws UsageError if the file has no case.
 */
export async function readCasesFile(file: string, terminal: Terminal): Promise<readonly EvaluationCase[]> {
  const text = file === '-' ? await terminal.input() : readText(file);
  const { parseCases } = await import('../../entries/evaluate.ts');
  const cases = parseCases(linesOf(text) ?? text);
  if (cases.length > 0) return cases;
  throw new UsageError(`${shown(file)} has no cases. A case is a line: { "query": "…", "relevant": ["tool"] }.`);
}

/** Converts a JSON list to JSON lines. Undefined if the text is no list. */
function linesOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join('\n') : undefined;
  } catch {
    return undefined;
  }
}
