import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { conversationOf } from '../conversation/messages.ts';
import { unusable } from '../meta-tools/load.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import type { SearchPreselect } from '../options/preselect.ts';
import { parseQuery, type ToolQuery } from '../query/query.ts';
import type { FoundEntry } from '../search/extras.ts';
import { find, rate, type SearchServices } from '../search/find.ts';
import { nextTurn } from '../util/time-slices.ts';
import { MAX_TIMER } from '../util/timeout.ts';
import { type Candidate, choose, merge } from './choice.ts';
import type { Decision, Source } from './decision.ts';
import { lastUserText, textsOf } from './message-text.ts';

/** Tools that each search rates. */
const RATED = 5;
const LATE: Decision = { entries: [], reason: 'timeout' };

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

  /** Never rejects. Where it takes too long, the index goes on being built for the next run, and nothing else. */
  async decide(step: Step, args: ProcessInputStepArgs): Promise<Decision> {
    let isOver = false;
    const work = this.#search(step, args, () => isOver).catch(
      (error: unknown): Decision => ({ entries: [], reason: 'failed', error }),
    );
    const decision = await firstWithin(this.#options.timeout, work, LATE);
    isOver = true;
    return decision;
  }

  async #search(step: Step, args: ProcessInputStepArgs, isOver: () => boolean): Promise<Decision> {
    const { query: queryFrom } = this.#options;
    const messages = conversationOf(args);
    const message: unknown = queryFrom
      ? await queryFrom([...(messages as typeof args.messages)])
      : lastUserText(messages);
    const texts = typeof message === 'string' ? textsOf(message) : [];
    if (texts.length === 0) return { entries: [], reason: 'no-text' };

    // Where that fails, the search reports it.
    if (!step.catalog.candidates) await this.#services.indexes.get(step.catalog, step.origin).catch(() => {});
    const found: (readonly FoundEntry[])[] = [];
    for (const text of texts) {
      if (found.length > 0) await nextTurn();
      if (isOver()) return LATE;
      const query = queryOf(text);
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

function unrated({ confidence: _, ...entry }: FoundEntry): FoundEntry {
  return entry;
}

/** A query of the words alone: what a user writes is no selection, and requires no word. */
function queryOf(text: string): ToolQuery {
  return { ...parseQuery(text.replaceAll(':', ' ')), required: [] };
}
