import type { RequestContext } from '@mastra/core/request-context';
import type { EventOrigin } from '../events/origin.ts';
import type { SourceOperation } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { asRecord } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import { isLazyTool, type ToolStub } from './lazy-tool.ts';
import { type AnyTool, isTool } from './tool.ts';
import type { SourceCandidate, SourceListing, SourceRequest, ToolSource } from './tool-source.ts';

/** One call of a source: for whom, until when, and where its events come from. */
export interface SourceCall {
  readonly requestContext?: RequestContext | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly origin?: EventOrigin | undefined;
  /** Whose tools are remembered for the time when the source is down: the resource and the thread, as the default scope. */
  readonly scope?: string | undefined;
  readonly explain?: boolean | undefined;
}

const MAX_DESCRIPTION = 4_000;
const MAX_GROUP = 100;
const MAX_PARAMETERS = 200;
const MAX_WORDS = 100;

/** What a source found. */
export interface Candidates {
  readonly candidates: readonly SourceCandidate[];
  /** Whether there are no more. */
  readonly isAll: boolean;
}

/** Asks a source, in time, and believes of its answers what can be believed. What fails is reported, and thrown. */
export class SourceClient {
  readonly #source: ToolSource;
  readonly #timeout: number;
  readonly #reporter: Reporter;

  /** @param timeout - milliseconds that one call may take. */
  constructor(source: ToolSource, timeout: number, reporter: Reporter) {
    this.#source = source;
    this.#timeout = timeout;
    this.#reporter = reporter;
  }

  /** Whether the source lists the tools of a prefix or a group. */
  get lists(): boolean {
    return typeof this.#source.list === 'function';
  }

  search(query: ToolQuery, limit: number, call: SourceCall): Promise<Candidates> {
    return this.#ask('search', call, async (request) => {
      const explain = call.explain ? { explain: true } : {};
      return candidatesOf(await this.#source.search(query, { ...request, ...explain, limit }), limit);
    });
  }

  list(of: SourceListing, limit: number, call: SourceCall): Promise<Candidates> {
    return this.#ask('list', call, async (request) =>
      candidatesOf((await this.#source.list?.(of, { ...request, limit })) ?? [], limit),
    );
  }

  /** The tools of these names, as far as there are any. What was not asked for is not read. */
  get(names: readonly string[], call: SourceCall): Promise<ReadonlyMap<string, AnyTool | ToolStub>> {
    return this.#ask('get', call, async (request) => {
      const answer: unknown = await this.#source.get([...names], request);
      if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
        throw new TypeError('it did not return tools by name');
      }
      const tools = new Map<string, AnyTool | ToolStub>();
      for (const name of names) {
        try {
          const tool = Object.hasOwn(answer, name) ? (answer as Record<string, unknown>)[name] : undefined;
          if (isTool(tool) || isLazyTool(tool)) tools.set(name, tool as AnyTool | ToolStub);
        } catch (error) {
          // Left out, alone.
          this.#reporter.report({ type: 'stub-failed', toolName: name, error }, call.origin);
        }
      }
      return tools;
    });
  }

  async #ask<Answer>(
    operation: SourceOperation,
    { requestContext, abortSignal, origin }: SourceCall,
    work: (request: SourceRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const own = new AbortController();
    const end = (): void => own.abort(abortSignal?.reason);
    const aborted = new Promise<never>((_, reject) => {
      own.signal.addEventListener('abort', () => reject(own.signal.reason as Error), { once: true });
    });
    aborted.catch(() => {});
    abortSignal?.addEventListener('abort', end, { once: true });
    try {
      abortSignal?.throwIfAborted();
      const request = { ...(requestContext ? { requestContext } : {}), abortSignal: own.signal };
      return await inTime(Promise.race([work(request), aborted]), this.#timeout);
    } catch (error) {
      // Who still works on the answer works for nobody.
      own.abort(error);
      // A run that ends is no fault of the source.
      if (!abortSignal?.aborted) {
        this.#reporter.report({ type: 'source-failed', source: nameOf(this.#source), operation, error }, origin);
      }
      throw error;
    } finally {
      abortSignal?.removeEventListener('abort', end);
    }
  }
}

/** The name of a source in events. */
export function nameOf({ name }: ToolSource): string {
  return typeof name === 'string' && name !== '' ? name : 'source';
}

/** The candidates that can be read, at most so many, each name once. */
function candidatesOf(answer: unknown, limit: number): Candidates {
  if (!Array.isArray(answer)) throw new TypeError('it did not return a list of candidates');
  const candidates = new Map<string, SourceCandidate>();
  for (let at = 0; at < Math.min(answer.length, limit); at++) {
    try {
      const candidate = candidateOf(answer[at]);
      if (candidate && !candidates.has(candidate.name)) candidates.set(candidate.name, candidate);
    } catch {
      // Left out, alone.
    }
  }
  return { candidates: [...candidates.values()], isAll: answer.length < limit };
}

function candidateOf(value: unknown): SourceCandidate | undefined {
  const fields = asRecord(value) ?? {};
  const { name, score, group, parameters, confidence, words } = fields;
  if (typeof name !== 'string' || typeof score !== 'number' || Number.isNaN(score)) return undefined;
  const isLikelihood = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
  return {
    ...{ name, score, description: text(fields['description'], MAX_DESCRIPTION) },
    ...(typeof group === 'string' && group !== '' ? { group: text(group, MAX_GROUP) } : {}),
    ...(Array.isArray(parameters) ? { parameters: parameters.slice(0, MAX_PARAMETERS).filter(isText) } : {}),
    ...(isLikelihood ? { confidence } : {}),
    ...(Array.isArray(words) ? { words: words.slice(0, MAX_WORDS) as SourceCandidate['words'] & object } : {}),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function text(value: unknown, length: number): string {
  return typeof value === 'string' ? value.slice(0, length) : '';
}
