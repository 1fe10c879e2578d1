import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { Catalog } from '../../catalog/catalog.ts';
import type { EventOrigin } from '../../events/origin.ts';
import { conversationOf } from '../../loaded/conversation/messages.ts';
import { lastUserText } from '../../loaded/conversation/user-message.ts';
import { unusable } from '../../meta-tools/load.ts';
import type { Services, Step } from '../../meta-tools/step.ts';
import type { SearchPreselect } from '../../options/preselect.ts';
import type { ToolQuery } from '../../scorers/words/query.ts';
import { type Candidate, merge, messageQueries } from '../../search/by-message.ts';
import type { FoundEntry } from '../../search/extras.ts';
import { find, rate, type SearchServices } from '../../search/find.ts';
import { nextTurn } from '../../util/time-slices.ts';
import { MAX_TIMER } from '../../util/timeout.ts';
import { unlessAborted } from '../../util/unless-aborted.ts';
import { choose } from './choice.ts';
import type { Decision, Source } from './decision.ts';

/** Tools that each search rates. */
const RATED = 5;
const LATE: Decision = { entries: [], reason: 'timeout' };
const INDEX_LATE: Decision = { entries: [], reason: 'index-timeout' };

/** Chooses the tools of a run by a search with the user's words. */
export class BySearch implements Source {
  readonly #options: SearchPreselect;
  readonly #services: SearchServices;
  readonly #all: Services;

  constructor(options: SearchPreselect, services: Services) {
    const { indexes, reporter } = services;
    const { scorer, minScore } = services.options;
    this.#options = options;
    this.#all = services;
    this.#services = { options: { scorer, minScore, minConfidence: 0 }, indexes, reporter };
    // The first run shall not find the index cold.
    indexes.prepare();
  }

  /** Builds the index of a run's catalog, which the first step of the run is to find. */
  prepare(catalog: Catalog, origin?: EventOrigin): void {
    if (!catalog.candidates) this.#services.indexes.get(catalog, origin).catch(() => {});
  }

  /**
   * Never rejects. Of what takes too long, only the building of the index goes on, for the next run: it has a time of its
   * own, and the query and the search together have theirs.
   */
  async decide(step: Step, args: ProcessInputStepArgs): Promise<Decision> {
    const { timeout } = this.#options;
    // The query may take its time as well.
    this.prepare(step.catalog, step.origin);
    const begun = performance.now();
    const asked = this.#queries(args).then((queries) => ({ queries }), failed);
    const read = await firstWithin<{ readonly queries: readonly ToolQuery[] } | Decision>(timeout, asked, LATE);
    if (!('queries' in read)) return read;
    const { queries } = read;
    if (queries.length === 0) return { entries: [], reason: 'no-text' };
    const left = timeout - (performance.now() - begun);
    const noIndex = await this.#indexed(step, args.abortSignal);
    if (noIndex) return noIndex;
    let isOver = false;
    const decision = await firstWithin(left, this.#search(queries, step, () => isOver).catch(failed), LATE);
    isOver = true;
    return decision;
  }

  /** What is searched. */
  async #queries(args: ProcessInputStepArgs): Promise<readonly ToolQuery[]> {
    const { query: queryFrom } = this.#options;
    const messages = conversationOf(args);
    const message: unknown = queryFrom
      ? await queryFrom([...(messages as typeof args.messages)])
      : lastUserText(messages);
    return typeof message === 'string' ? messageQueries(message) : [];
  }

  /** Waits for the index. Returns why there is none; undefined where it is there. */
  async #indexed({ catalog, origin }: Step, signal: AbortSignal | undefined): Promise<Decision | undefined> {
    if (catalog.candidates) return undefined;
    const { indexes, reporter, options } = this.#services;
    const built = indexes.get(catalog, origin).then(
      () => undefined,
      (error: unknown): Decision => {
        reporter.report({ type: 'scorer-failed', scorer: options.scorer.name, error }, origin);
        return { entries: [], reason: 'failed' };
      },
    );
    const decision = await firstWithin(this.#options.indexTimeout, unlessAborted(built, signal), INDEX_LATE);
    return signal?.aborted ? LATE : decision;
  }

  async #search(queries: readonly ToolQuery[], step: Step, isOver: () => boolean): Promise<Decision> {
    const found: (readonly FoundEntry[])[] = [];
    for (const query of queries) {
      if (found.length > 0) await nextTurn();
      if (isOver()) return LATE;
      const answer = await find(query, RATED, { ...step, autoLoad: true }, this.#services);
      if (!answer) return { entries: [], reason: 'failed' };
      const active = await step.permissions.allowed(answer.shown, 'active');
      const isSame = active.length === answer.shown.length;
      found.push(isSame ? active : await rate(answer.index, query, active.map(unrated)));
    }
    this.#doubt(found.flat());
    const decision = this.#chosen(merge(found), step);
    // A definition that comes on demand has to come in time as well.
    const failing = await unusable(decision.entries, step, this.#all);
    if (failing.size === 0) return decision;
    const entries = decision.entries.filter(({ name }) => !failing.has(name));
    return entries.length > 0 ? { ...decision, entries } : { entries, reason: 'failed' };
  }

  #chosen(candidates: readonly Candidate[], { resident, loaded }: Step): Decision {
    const { minConfidence, maxTools } = this.#options;
    if (candidates.length === 0) return { entries: [], reason: 'no-match' };
    const isThere = ({ name }: FoundEntry): boolean => resident.has(name) || loaded.has(name);
    const { entries, confidence, isEnough } = choose(candidates, minConfidence, maxTools, isThere);
    if (!isEnough) return { entries, confidence, reason: 'below-confidence' };
    return { entries, confidence, ...(entries.length > 0 ? {} : { reason: 'already-there' }) };
  }

  /** Reports that a scorer of the user's own gives no confidence: only its results show it. */
  #doubt(found: readonly FoundEntry[]): void {
    if (found.length === 0 || found.some(({ confidence }) => confidence !== undefined)) return;
    const { options, reporter } = this.#services;
    const message = `"preselect" has no effect: the index of the scorer "${options.scorer.name}" gives no confidence.`;
    reporter.report({ type: 'option-doubt', option: 'preselect', message });
  }
}

/**
 * What work comes to within so many milliseconds, else the other value. It waits no longer for a process that is busy:
 * most likely it is busy with this work.
 */
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

function unrated({ confidence: _, ...entry }: FoundEntry): FoundEntry {
  return entry;
}
