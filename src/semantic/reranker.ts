import { inTime, type ToolQuery } from '../kit.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { RerankCandidate, RerankingSettings } from './reranking-settings.ts';

/** Asks the user's `rerank`: in time, and not while it keeps failing. */
export class Reranker {
  readonly candidates: number;
  readonly weight: number;
  readonly #settings: RerankingSettings;
  readonly #breaker = new CircuitBreaker();

  constructor(settings: RerankingSettings) {
    this.candidates = settings.candidates;
    this.weight = settings.weight;
    this.#settings = settings;
  }

  /** A score for each candidate; undefined where there is none to be had, which is reported. */
  async scores(
    { keywords }: ToolQuery,
    candidates: readonly RerankCandidate[],
    report: (error: unknown) => void,
  ): Promise<readonly number[] | undefined> {
    const asked = keywords.join(' ');
    if (this.#breaker.isOpen(asked)) return undefined;
    const { rerank, timeout } = this.#settings;
    const controller = new AbortController();
    try {
      const work = (async () => rerank(asked, candidates, { signal: controller.signal }))();
      const scores = await inTime(work, timeout, () => new Error(`"rerank" takes longer than ${timeout} ms`));
      const checked = checkedScores(scores, candidates.length);
      this.#breaker.worked();
      return checked;
    } catch (error) {
      controller.abort(error);
      this.#breaker.failed(asked);
      report(error);
      return undefined;
    }
  }
}

/** @throws Error for what is no list of as many numbers as there are candidates. */
function checkedScores(scores: unknown, count: number): readonly number[] {
  if (!Array.isArray(scores) || scores.length !== count) {
    const got = Array.isArray(scores) ? `${scores.length} scores` : 'no list of scores';
    throw new Error(`"rerank" must return one score for each candidate: ${got} for ${count} candidates.`);
  }
  const wrong = scores.findIndex((score) => !Number.isFinite(score));
  if (wrong >= 0) throw new Error(`"rerank" must return finite numbers; one is ${String(scores[wrong])}.`);
  if (!Number.isFinite(Math.max(...scores) - Math.min(...scores))) {
    throw new Error('"rerank" must return numbers of one scale; the distance of two is beyond any number.');
  }
  return scores;
}
