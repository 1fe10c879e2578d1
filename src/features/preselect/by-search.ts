import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import type { EventOrigin } from '../../events/origin.ts';
import { conversationOf, lastUserText } from '../../loaded/conversation/conversation.ts';
import type { ToolQuery } from '../../scorers/words/query.ts';
import {
  type Candidate,
  type FoundEntry,
  find,
  merge,
  messageQueries,
  rate,
  type SearchServices,
} from '../../search/find.ts';
import type { Step } from '../../step/step.ts';
import { nextTurn } from '../../util/time-slices.ts';
import { MAX_TIMER, unlessAborted } from '../../util/timeout.ts';
import { mayBeSent } from './destroying.ts';
import type { SearchPreselect } from './options.ts';
import type { Decision, PreselectParts, PreselectSource } from './preselect.ts';

const RATED = 5;
/** Milliseconds by which the query and the search may delay a run. */
const TIMEOUT = 120;
const LATE: Decision = { entries: [], reason: 'timeout' };
const NO_TEXT: Decision = { entries: [], reason: 'no-text' };
const INDEX_LATE: Decision = { entries: [], reason: 'index-timeout' };

/** Chooses the tools of a run by searching for the user's message. */
export class BySearch implements PreselectSource {
  readonly #options: SearchPreselect;
  readonly #timeouts: PreselectParts['options']['timeouts'];
  readonly #parts: Pick<PreselectParts, 'loader' | keyof SearchServices>;

  constructor(options: SearchPreselect, parts: Pick<PreselectParts, 'loader' | keyof SearchServices>) {
    this.#options = options;
    this.#timeouts = parts.options.timeouts;
    this.#parts = { ...parts, options: { ...parts.options, minConfidence: 0 } };
    // Builds the index before the first run needs one.
    parts.searcher.prepare();
  }

  /** Builds the index of a run's catalog before the first step of the run needs the index. */
  prepare(catalog: Catalog, origin?: EventOrigin): void {
    this.#parts.searcher.ready(catalog, origin).catch(() => {});
  }

  /** Never rejects. A search that takes too long is abandoned; building an index continues, for the next run. */
  async decide(step: Step): Promise<Decision> {
    const { preselect: timeout = TIMEOUT } = this.#timeouts;
    const asked = this.#queries(step).then((queries) => ({ queries }), failed);
    // Building an index blocks the process, so the timeout of the search starts after the build.
    const indexed = this.#indexed(step);
    const early = await Promise.race([asked, indexed]);
    if (early && 'queries' in early && early.queries.length === 0) return NO_TEXT;
    const noIndex = await indexed;
    if (noIndex) return noIndex;
    const begun = performance.now();
    const read = await firstWithin<{ readonly queries: readonly ToolQuery[] } | Decision>(timeout, asked, LATE);
    if (!('queries' in read)) return read;
    const { queries } = read;
    if (queries.length === 0) return NO_TEXT;
    const left = timeout - (performance.now() - begun);
    let isOver = false;
    const decision = await firstWithin(left, this.#search(queries, step, () => isOver).catch(failed), LATE);
    isOver = true;
    return decision;
  }

  async #queries({ args }: Step): Promise<readonly ToolQuery[]> {
    const { query: queryFrom } = this.#options;
    const messages = conversationOf(args);
    const message: unknown = queryFrom
      ? await queryFrom([...(messages as typeof args.messages)])
      : lastUserText(messages);
    return typeof message === 'string' ? messageQueries(message) : [];
  }

  /** Waits for the index. Returns why there is no index; undefined once the index exists. */
  async #indexed({ catalog, origin, args: { abortSignal: signal } }: Step): Promise<Decision | undefined> {
    const { searcher, reporter, options } = this.#parts;
    const built = searcher.ready(catalog, origin).then(
      () => undefined,
      (error: unknown): Decision => {
        reporter.report({ type: 'scorer-failed', scorer: options.scorer.name, error }, origin);
        return { entries: [], reason: 'failed' };
      },
    );
    const decision = await firstWithin(this.#timeouts.index, unlessAborted(built, signal), INDEX_LATE);
    return signal?.aborted ? LATE : decision;
  }

  async #search(queries: readonly ToolQuery[], step: Step, isOver: () => boolean): Promise<Decision> {
    const { catalog, permissions, origin } = step;
    const isUnusable = (entry: CatalogEntry): boolean => this.#parts.loader.isUnusable(entry, step);
    const found: (readonly FoundEntry[])[] = [];
    for (const query of queries) {
      if (found.length > 0) await nextTurn();
      if (isOver()) return LATE;
      const answer = await find(
        query,
        RATED,
        { catalog, permissions, origin, isUnusable, autoLoad: true },
        this.#parts,
      );
      if (!answer) return { entries: [], reason: 'failed' };
      const active = await permissions.allowed(answer.shown, 'active');
      const isSame = active.length === answer.shown.length;
      const unrated = active.map(({ confidence: _, ...entry }): FoundEntry => entry);
      const rated = isSame ? active : await rate(answer.index, query, unrated);
      const asked = await Promise.all(rated.map((entry) => mayBeSent(entry, query, answer.index)));
      found.push(rated.filter((_, place) => asked[place]));
    }
    this.#doubt(found.flat());
    const { minConfidence, maxTools } = this.#options;
    const isThere = ({ name }: FoundEntry): boolean => step.tools.has(name);
    const decision = choose(merge(found), minConfidence, maxTools, isThere);
    // Resolving a lazy definition has to finish in time as well.
    const failing = await this.#parts.loader.unusable(decision.entries, step);
    if (failing.size === 0) return decision;
    const entries = decision.entries.filter(({ name }) => !failing.has(name));
    return entries.length > 0 ? { ...decision, entries } : { entries, reason: 'failed' };
  }

  /** Reports a scorer that gives no confidence. For a custom scorer, only its results show that. */
  #doubt(found: readonly FoundEntry[]): void {
    if (found.length === 0 || found.some(({ confidence }) => confidence !== undefined)) return;
    const { options, reporter } = this.#parts;
    const message = `"preselect" has no effect: the index of the scorer "${options.scorer.name}" gives no confidence.`;
    reporter.report({ type: 'option-doubt', option: 'preselect', message });
  }
}

/** The result of `work`, or `otherwise` when the time is over. */
async function firstWithin<Value>(milliseconds: number, work: Promise<Value>, otherwise: Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<Value>((resolve) => {
    if (milliseconds <= MAX_TIMER) timer = setTimeout(() => resolve(otherwise), milliseconds);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

function failed(error: unknown): Decision {
  return { entries: [], reason: 'failed', error };
}

/**
 * The confidence that a further tool needs, as a share of `minConfidence` (`npm run bench:preselect`). Less is enough, since
 * a further tool costs only its definition.
 */
const NEXT = 0.6;
/** Once the right tool is among the chosen with this probability, no further tool is sent. */
const SURE = 0.9;

/**
 * Chooses from candidates, best first: one for a clear message, more if several may be meant, none if no candidate is likely.
 * A candidate with `isThere` adds to the probability of having the right tool, and is not sent again.
 *
 * @param minConfidence - the confidence that the best candidate needs.
 */
export function choose(
  candidates: readonly Candidate[],
  minConfidence: number,
  maxTools: number,
  isThere: (entry: FoundEntry) => boolean,
): Decision {
  const [best] = candidates;
  if (!best) return { entries: [], reason: 'no-match' };
  if (best.confidence < minConfidence) return { entries: [], confidence: best.confidence, reason: 'below-confidence' };
  const entries: FoundEntry[] = [];
  let unlikely = 1;
  for (const { entry, confidence } of candidates) {
    if (confidence < minConfidence * NEXT) break;
    unlikely *= 1 - confidence;
    if (!isThere(entry)) entries.push(entry);
    if (1 - unlikely >= SURE || entries.length >= maxTools) break;
  }
  return { entries, confidence: 1 - unlikely, ...(entries.length > 0 ? {} : { reason: 'already-there' }) };
}
