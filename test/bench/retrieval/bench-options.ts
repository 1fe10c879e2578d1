import { parseArgs } from 'node:util';
import type { ColdOptions } from '../cold/cold.ts';
import type { Contestant } from './contestant.ts';
import { CONTESTANTS, ON_REQUEST } from './contestants.ts';
import { type EndpointMeasures, endpointContestants } from './endpoint-contestants.ts';

export const USAGE: string = `npm run bench:retrieval -- [options]
  --sets FOLDER    all sets in this folder, instead of the one that comes with the project
  --scorers A,B    only these: ${names(CONTESTANTS)};
                   and, only when named: ${names(ON_REQUEST)}
  --split          also the sets that are tuned on and those held out apart, as listed in split.ts
  --servers        tools by the names that their servers gave them, and the servers beside them, as MCP clients tell
                   them: for sets with sources.json
  --pasted         in place of each set: its queries inside pasted messages, and the tasks behind them where it has any
  --misses         the queries whose first five results leave something out
  --reliability    how often results are relevant, by the confidence they are given
  --verdict        how often it is said that nothing fits, where it is true and where not: what fits is removed from the
                   catalogs, and queries of other sets are put to them
  --embeddings URL --model NAME
                   bm25 beside this model behind an OpenAI-compatible endpoint, as embedding-server.py is: alone, in
                   hybrids, reranking; and the time that it takes. A key comes from EMBEDDINGS_API_KEY
  --shares A,B     the shares of meaning in the hybrids; without it 0.15, the default, and 0.4
  --rerank A,B     weights of the model as a reranker of the first 30: a /rerank beside the /embeddings
  --vectors FOLDER where the vectors are kept, so that each text is embedded once
  --learning       what learning from use changes for bm25Scorer, in place of the ranking
  --cold           what the first search of a new process takes, beside core's, in place of the ranking: bench:cold;
                   --sizes A,B, --rounds N and --build FILE, an entry that is built already, are its own
  --all            the ranking with --split, --reliability and --verdict, also of the scorers that embed; --pasted;
                   --learning; and --cold. Tens of minutes with many sets
  --fit            instead of the report: the confidences of scorers that give evidence fitted anew, and how they do on
                   sets that they are not fitted on
  --markdown       one table in Markdown for each part, instead of the whole report
  --json FILE      everything, as JSON`;

/** What a run of the bench measures. */
export interface BenchOptions {
  readonly sets: string | undefined;
  readonly json: string | undefined;
  readonly isHelp: boolean;
  readonly servers: boolean;
  readonly misses: boolean;
  readonly fit: boolean;
  readonly markdown: boolean;
  readonly isPasted: boolean;
  readonly split: boolean;
  readonly reliability: boolean;
  readonly verdict: boolean;
  /** The parts of the report. */
  readonly parts: ReadonlySet<Part>;
  readonly contestants: readonly Contestant[];
  readonly endpoint: EndpointMeasures | undefined;
  readonly cold: ColdOptions;
}

export type Part = 'ranking' | 'pasted' | 'learning' | 'cold';

/** @throws Error for what cannot be measured. */
export function benchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sets: { type: 'string' },
      scorers: { type: 'string' },
      split: { type: 'boolean', default: false },
      servers: { type: 'boolean', default: false },
      pasted: { type: 'boolean', default: false },
      misses: { type: 'boolean', default: false },
      reliability: { type: 'boolean', default: false },
      verdict: { type: 'boolean', default: false },
      embeddings: { type: 'string' },
      model: { type: 'string' },
      shares: { type: 'string', default: '0.15,0.4' },
      rerank: { type: 'string' },
      vectors: { type: 'string' },
      learning: { type: 'boolean', default: false },
      cold: { type: 'boolean', default: false },
      sizes: { type: 'string' },
      rounds: { type: 'string' },
      build: { type: 'string' },
      all: { type: 'boolean', default: false },
      fit: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { sets, servers, misses, fit, markdown, json, all } = values;
  const endpoint = endpointOf(values);
  const named = values.scorers ?? (endpoint && !all ? 'bm25' : undefined);
  const embedding = endpoint ? endpointContestants(endpoint) : all ? ON_REQUEST : [];
  const alone = (['learning', 'cold'] as const).filter((part) => values[part]);
  const numbers = (list: string): readonly number[] => list.split(',').map(Number);
  return {
    ...{ sets, servers, misses, fit, markdown, json, endpoint },
    isHelp: values.help,
    isPasted: values.pasted && !all,
    split: values.split || all,
    reliability: values.reliability || all,
    verdict: values.verdict || all,
    parts: new Set(all ? ['ranking', 'pasted', 'learning', 'cold'] : alone.length > 0 ? alone : ['ranking']),
    contestants: [...new Set([...chosen(named), ...embedding])],
    cold: {
      ...(values.sizes === undefined ? {} : { sizes: numbers(values.sizes) }),
      ...(values.rounds === undefined ? {} : { rounds: Number(values.rounds) }),
      ...(values.build === undefined ? {} : { build: values.build }),
    },
  };
}

/** @throws Error for an endpoint without a model, and for what is no list of shares. */
function endpointOf(values: {
  readonly embeddings?: string | undefined;
  readonly model?: string | undefined;
  readonly shares: string;
  readonly rerank?: string | undefined;
  readonly vectors?: string | undefined;
}): EndpointMeasures | undefined {
  const { embeddings: url, model, vectors } = values;
  if (url === undefined) return undefined;
  if (model === undefined) throw new Error(`--embeddings needs a --model.\n${USAGE}`);
  const sharesOf = (list = ''): readonly number[] => {
    const shares = list
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map(Number);
    if (shares.some((share) => !(share > 0 && share <= 1)))
      throw new Error(`"${list}" is no list of shares.\n${USAGE}`);
    return shares;
  };
  const measures = { url, model, shares: sharesOf(values.shares), rerankWeights: sharesOf(values.rerank) };
  return vectors === undefined ? measures : { ...measures, vectors };
}

function chosen(list: string | undefined): readonly Contestant[] {
  if (list === undefined) return CONTESTANTS;
  const all = [...CONTESTANTS, ...ON_REQUEST];
  const wanted = list.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !all.some((contestant) => contestant.name === name));
  if (unknown.length > 0) throw new Error(`There is no scorer "${unknown.join('", "')}".\n${USAGE}`);
  return all.filter(({ name }) => wanted.includes(name));
}

function names(contestants: readonly Contestant[]): string {
  return contestants.map(({ name }) => name).join(', ');
}
