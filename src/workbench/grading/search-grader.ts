import * as evals from '@mastra/core/evals';
import { type MetaToolsOption, resolveMetaTools } from '../../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { readGroundTruth } from '../evaluate/cases.ts';
import { gradeOf, type MetaNames, readRun, type SearchGrade } from './grade.ts';

/**
 * The options of `searchGrader`.
 *
 * @example
 * ```ts
 * const options: SearchGraderOptions = { metaTools: { search: { name: 'find_tools' } } };
 * const grader = searchGrader(options);
 * ```
 */
export interface SearchGraderOptions {
  /** @default 'tool-search' */
  readonly id?: string;
  /** The processor's `metaTools`, if it renames them. @default the built-in names */
  readonly metaTools?: MetaToolsOption;
}

/**
 * A scorer of Mastra's evals that grades how runs find their tools. It ranks nothing, and calls no model.
 *
 * @example
 * ```ts
 * const run = await searchGrader().run({ input: 'weather', output: [{ name: 'get_weather' }], groundTruth: 'get_weather' });
 * console.log(run.score, run.preprocessStepResult?.found);
 * ```
 */
export type SearchGrader = evals.MastraScorer<
  string,
  // The input of a scorer depends on what it grades.
  // biome-ignore lint/suspicious/noExplicitAny: any input may be graded
  any,
  // biome-ignore lint/suspicious/noExplicitAny: Mastra's own default
  any,
  {
    preprocessStepResult: SearchGrade;
    generateScoreStepResult: number;
    generateReasonStepResult: string;
  }
>;

const optionNames: NamesOf<SearchGraderOptions> = { id: true, metaTools: true };

/**
 * Makes a grader. The score is the number of met needs, divided by the sum of all needs, searches that found nothing new of
 * them, and calls of tools that were not there.
 *
 * The ground truth states the needs: `{ relevant, groups }` as in a case, a list of names, or one name. Without it, the needs
 * are the tools that the run called after a search had shown them; a run without searches and misses has no score.
 *
 * @throws ToolSearchError `invalid-option`
 *
 * @example
 * ```ts
 * import { Agent } from '@mastra/core/agent';
 *
 * const agent = new Agent({
 *   id: 'office',
 *   name: 'Office',
 *   instructions: 'Help.',
 *   model: 'openai/gpt-5-mini',
 *   inputProcessors: [new ToolSearchProcessor({ tools })],
 *   scorers: { search: { scorer: searchGrader(), sampling: { type: 'ratio', rate: 0.1 } } },
 *   defaultOptions: { maxSteps: 20 },
 * });
 * ```
 */
export function searchGrader(options: SearchGraderOptions = {}): SearchGrader {
  refuseUnknownOptions('searchGrader', options, optionNames);
  const { id = 'tool-search', metaTools = {} } = options;
  const names = namesOf(metaTools);
  const grader = evals
    .createScorer({
      id,
      name: 'Tool search',
      description: 'Whether the searches of a run find the tools that it needs, and how directly.',
      type: 'agent',
    })
    .preprocess(({ run }) => {
      const grade = gradeOf(readRun(run.output, run.input, names), readGroundTruth(run.groundTruth));
      // Older versions of Mastra have no `notScorable`.
      const isNothing = grade.score === undefined && typeof evals.notScorable === 'function';
      return isNothing ? (evals.notScorable('the run made no search') as never) : grade;
    })
    .generateScore(({ results }) => results.preprocessStepResult.score ?? 1)
    .generateReason(({ results }) => results.preprocessStepResult.reason);
  return grader as unknown as SearchGrader;
}

/** @throws ToolSearchError `invalid-option` */
function namesOf(metaTools: MetaToolsOption): MetaNames {
  const { names, unloadName } = resolveMetaTools(metaTools);
  const { search, load } = names;
  return { search, load, unload: unloadName ?? 'unload_tool', bridge: metaTools.call?.name ?? 'call_tool' };
}
