import type { RequestContext } from '@mastra/core/request-context';
import { messageOf, ToolSearchError } from '../errors.ts';
import { wordVectors } from '../kit.ts';
import { type Guard, isFromElsewhere } from './access.ts';
import { type InspectProblem, type InspectQuestion, VECTORS } from './data.ts';
import { dated, pageOf } from './html.ts';
import { pageFiles } from './page-files.ts';
import { readQuestion } from './questions.ts';
import type { InspectSource } from './source.ts';

/**
 * A request in the form of Hono, and so of the routes of Mastra's server.
 *
 * @example
 * ```ts
 * import { registerApiRoute } from '@mastra/core/server';
 *
 * const processor = new ToolSearchProcessor({ tools });
 * registerApiRoute('/tools', { method: 'ALL', createHandler: () => processor.inspector() });
 * ```
 */
export interface RouteContext {
  readonly req: { readonly raw: Request };
  get?(key: string): unknown;
}

/**
 * Answers the requests of an inspector, all at one address: GET with the page, or with the table of word vectors that the page
 * loads for its ranking; POST with the answer to the page's question.
 *
 * @example
 * ```ts
 * const handler: InspectorHandler = await new ToolSearchProcessor({ tools }).inspector();
 * const response = await handler(new Request('http://localhost:4111/tools'));
 * ```
 */
export type InspectorHandler = (request: Request | RouteContext) => Promise<Response>;

/** Answers are not cached, type-sniffed, sent as referrer, or framed by another page. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The handler of an inspector. It never throws. */
export function inspectorHandler(source: InspectSource, guard: Guard): InspectorHandler {
  return async (asked) => {
    const isRoute = 'req' in asked;
    const request = isRoute ? asked.req.raw : asked;
    if (isFromElsewhere(request)) return refusal(request, 403, 'Another page may not ask an inspector.');
    const admission = await guard(request);
    if ('error' in admission) return refusal(request, admission.status, admission.error);
    try {
      const requestContext = isRoute ? contextOf(asked) : undefined;
      if (request.method === 'POST') return await answer(request, source, requestContext);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return problem(405, 'An inspector is asked with GET or POST.', { allow: 'GET, HEAD, POST' });
      const isHead = request.method === 'HEAD';
      if (new URL(request.url).searchParams.has(VECTORS)) {
        const headers = { ...admission.headers, 'content-type': 'text/plain; charset=utf-8' };
        return respond(200, isHead ? null : await wordVectors(), headers);
      }
      const data = await source.data(requestContext);
      const { html, policy } = pageOf(dated(data), await pageFiles());
      const headers = {
        ...admission.headers,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${policy}; frame-ancestors 'none'`,
      };
      return respond(200, isHead ? null : html, headers);
    } catch (error) {
      return problem(error instanceof ToolSearchError && error.code === 'invalid-option' ? 400 : 500, messageOf(error));
    }
  };
}

/** The request context that Mastra's server or its middleware has made for the request. */
function contextOf(route: RouteContext): RequestContext | undefined {
  const context = route.get?.('requestContext') as RequestContext | undefined;
  return typeof context?.get === 'function' ? context : undefined;
}

async function answer(
  request: Request,
  source: InspectSource,
  requestContext: RequestContext | undefined,
): Promise<Response> {
  const read = await readQuestion(request);
  if ('error' in read) return problem(read.status, read.error);
  return json(200, await answerOf(read.question, source, request.signal, requestContext));
}

function answerOf(
  question: InspectQuestion,
  source: InspectSource,
  abortSignal: AbortSignal,
  requestContext: RequestContext | undefined,
): Promise<unknown> {
  switch (question.ask) {
    case 'search':
      return source.search(question, abortSignal);
    case 'permitted':
      return source.permitted(question, abortSignal);
    case 'findings':
      return source.findings(requestContext);
    case 'stats':
      return source.stats();
    case 'revision':
      return source.revision();
    case 'evaluation':
      return source.evaluation(question, requestContext);
    case 'file':
      return source.file(requestContext);
  }
}

/** A refusal: JSON for a POST, else plain text for a person. */
function refusal(request: Request, status: number, error: string): Response {
  if (request.method === 'POST') return problem(status, error);
  return respond(status, request.method === 'HEAD' ? null : error, { 'content-type': 'text/plain; charset=utf-8' });
}

function problem(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Response {
  return json(status, { error } satisfies InspectProblem, headers);
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return respond(status, JSON.stringify(value), { ...headers, 'content-type': 'application/json; charset=utf-8' });
}

function respond(status: number, body: string | null, headers: Readonly<Record<string, string>>): Response {
  return new Response(body, { status, headers: { ...HEADERS, ...headers } });
}
