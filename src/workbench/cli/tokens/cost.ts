import type { Measured, MeasuredMode } from './measure.ts';

/** A conversation. */
export interface AssumedConversation {
  /** Model calls without searching. */
  readonly calls: number;
  /** Tools that it uses. */
  readonly used: number;
  /** Tokens of system text and history. */
  readonly prompt: number;
}

/** What a token of the prompt costs where the provider's cache has it, and where the cache is written, against 1. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
}

/** What a conversation reads. */
export interface Cost {
  readonly calls: number;
  /** Tokens of the first request. */
  readonly first: number;
  /** Tokens of all requests. */
  readonly tokens: number;
  /** Tokens of all requests, at the prices of a cache. */
  readonly cached: number;
}

/** One request to the model, in the order in which providers keep it. */
interface Request {
  readonly definitions: number;
  readonly rest: number;
}

/** The cost of sending all definitions. */
export function costOfAll(definitions: number, { calls, prompt }: AssumedConversation, prices: CachePrices): Cost {
  const requests = Array.from({ length: calls }, () => ({ definitions, rest: prompt }));
  return costOf(requests, definitions, prices);
}

/** The cost of a mode: with what is preselected or searched, in the share in which each happens. */
export function costOfMode(
  mode: MeasuredMode,
  measured: Measured,
  conversation: AssumedConversation,
  prices: CachePrices,
): Cost {
  const { hits } = measured;
  const searched = costOf(requestsOf(mode, measured, conversation, false), measured.definitions, prices);
  if (hits === 0) return searched;
  const hit = costOf(requestsOf(mode, measured, conversation, true), measured.definitions, prices);
  const mean = (key: keyof Cost): number => hits * hit[key] + (1 - hits) * searched[key];
  return { calls: mean('calls'), first: mean('first'), tokens: mean('tokens'), cached: mean('cached') };
}

/** From how many tools of this size on a mode reads less than all definitions do. */
export function paysFrom(cost: number, tokens: number, { calls, prompt }: AssumedConversation, price = 1): number {
  return Math.max(1, Math.ceil((cost / price - calls * prompt) / (calls * tokens)));
}

/**
 * The requests of a conversation: before each of the first uses, those that look for the tool.
 *
 * @param isHit - whether the first tool was preselected.
 */
function requestsOf(
  { adds }: MeasuredMode,
  { definitions, system, preselected, search, load, loaded }: Measured,
  { calls, used, prompt }: AssumedConversation,
  isHit: boolean,
): readonly Request[] {
  const isListed = preselected > 0;
  let list = definitions + preselected;
  let rest = prompt + system;
  const requests: Request[] = [];
  const ask = (): void => void requests.push({ definitions: list, rest });
  for (let at = 0; at < calls; at++) {
    const isFound = isListed && isHit && at === 0;
    if (at < used && !isFound) {
      for (const added of adds) {
        ask();
        rest += added === 'search' ? search : load;
      }
      list += loaded;
    }
    ask();
  }
  return requests;
}

/** Sums requests up. The cache has what an earlier conversation began with, and then the request before. */
function costOf(requests: readonly Request[], first: number, { read, write }: CachePrices): Cost {
  let before: Request = { definitions: first, rest: requests[0]?.rest ?? 0 };
  let tokens = 0;
  let cached = 0;
  for (const request of requests) {
    const total = request.definitions + request.rest;
    // What stands behind a list that changed is written anew.
    const known =
      request.definitions === before.definitions
        ? request.definitions + Math.min(request.rest, before.rest)
        : before.definitions;
    tokens += total;
    cached += read * known + write * (total - known);
    before = request;
  }
  const { definitions = 0, rest = 0 } = requests[0] ?? {};
  return { calls: requests.length, first: definitions + rest, tokens, cached };
}
