import { type AnyTool, type FeatureExplanation, isSearchable, type SourceCandidate, type ToolStub } from '../kit.ts';
import { asRecord, asText } from '../util/record.ts';

/** What a source answers to a search. */
export interface SourceAnswer {
  /** Best first. */
  readonly found: readonly SourceCandidate[];
  /** Whether the source has no further candidates. */
  readonly isAll: boolean;
}

/** The readable candidates among the first `limit` of an answer, each name once. */
export function readCandidates(answer: unknown, limit: number): SourceAnswer {
  if (!Array.isArray(answer)) throw new TypeError('it did not return a list of candidates');
  const candidates = new Map<string, SourceCandidate>();
  for (let at = 0; at < Math.min(answer.length, limit); at++) {
    try {
      const candidate = readCandidate(answer[at]);
      if (candidate && !candidates.has(candidate.name)) candidates.set(candidate.name, candidate);
    } catch {
      // One unreadable candidate does not cost the others.
    }
  }
  return { found: [...candidates.values()], isAll: answer.length < limit };
}

const MAX_DESCRIPTION = 4_000;
const MAX_GROUP = 100;
const MAX_PARAMETERS = 200;
const MAX_WORDS = 100;
const MAX_FEATURES = 50;

function readCandidate(value: unknown): SourceCandidate | undefined {
  const { name, score, description, group, parameters, confidence, words, features } = asRecord(value) ?? {};
  if (typeof name !== 'string' || typeof score !== 'number' || Number.isNaN(score)) return undefined;
  const isLikelihood = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
  return {
    ...{ name, score, description: asText(description, MAX_DESCRIPTION) },
    ...(asText(group, MAX_GROUP) === '' ? {} : { group: asText(group, MAX_GROUP) }),
    ...(Array.isArray(parameters) ? { parameters: textsIn(parameters) } : {}),
    ...(isLikelihood ? { confidence } : {}),
    ...(Array.isArray(words) ? { words: words.slice(0, MAX_WORDS) as SourceCandidate['words'] & object } : {}),
    ...(Array.isArray(features) ? { features: features.slice(0, MAX_FEATURES) as FeatureExplanation[] } : {}),
  };
}

function textsIn(list: readonly unknown[]): readonly string[] {
  return list.slice(0, MAX_PARAMETERS).filter((item) => typeof item === 'string');
}

/**
 * The tools of these names in an answer; tools of any other name are ignored.
 *
 * @param failed - called for each tool that cannot be read.
 */
export function checkedTools(
  answer: unknown,
  names: readonly string[],
  failed: (toolName: string, error: unknown) => void,
): ReadonlyMap<string, AnyTool | ToolStub> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new TypeError('it did not return tools by name');
  }
  const tools = new Map<string, AnyTool | ToolStub>();
  for (const name of names) {
    try {
      const tool = Object.hasOwn(answer, name) ? (answer as Record<string, unknown>)[name] : undefined;
      if (isSearchable(tool)) tools.set(name, tool);
    } catch (error) {
      failed(name, error);
    }
  }
  return tools;
}
