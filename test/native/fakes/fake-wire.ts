/** What both fake services share: how a request is recorded, refused and answered. */

export type Json = Readonly<Record<string, unknown>>;

export interface FakeRequest<Body> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** 0 for the first request that this fake got. */
  readonly index: number;
}

export interface FakeError {
  readonly status: number;
  readonly error: { readonly type?: string; readonly message: string; readonly code?: string | null };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeReply<Block> = { readonly content: readonly Block[]; readonly stopReason?: string } | FakeError;

export type FakeScript<Body, Block> = (request: FakeRequest<Body>) => FakeReply<Block> | Promise<FakeReply<Block>>;

export interface FakeOptions<Rule extends string> {
  /** `true` refuses nothing. A list turns these rules off. */
  readonly lenient?: boolean | readonly Rule[];
}

/** A broken rule of the service. */
export interface Refusal<Rule extends string> {
  readonly rule: Rule;
  readonly message: string;
  /** What the service names the error, where it does. */
  readonly code?: string;
}

export interface FakeProvider<Body, Rule extends string = string> {
  /** For `createAnthropic({ fetch })` and `createOpenAI({ fetch })`. */
  readonly fetch: typeof globalThis.fetch;
  /** Every request so far, oldest first, also those that were refused. */
  readonly requests: readonly FakeRequest<Body>[];
  /** What was refused by the rules, oldest first. Errors that a script answers are not in it. */
  readonly refused: readonly Refusal<Rule>[];
}

interface Service<Body, Block, Rule extends string> {
  readonly script: FakeScript<Body, Block>;
  readonly options: FakeOptions<Rule>;
  /** What is wrong with a request. Only the first refusal that is not turned off counts. */
  refuse(body: Body, request: FakeRequest<Body>): Iterable<Refusal<Rule>>;
  answer(content: readonly Block[], stopReason: string | undefined, request: FakeRequest<Body>): Response;
  error(reply: FakeError): Json;
}

export function fakeProvider<Body, Block, Rule extends string>(
  service: Service<Body, Block, Rule>,
): FakeProvider<Body, Rule> {
  const { lenient = false } = service.options;
  const requests: FakeRequest<Body>[] = [];
  const refused: Refusal<Rule>[] = [];
  const applies = ({ rule }: Refusal<Rule>): boolean =>
    lenient === false || (Array.isArray(lenient) && !lenient.includes(rule));

  async function reply(request: FakeRequest<Body>): Promise<Response> {
    for (const refusal of service.refuse(request.body, request)) {
      if (!applies(refusal)) continue;
      refused.push(refusal);
      const message = `${refusal.message} [rule: ${refusal.rule}]`;
      const error = { type: 'invalid_request_error', message, code: refusal.code ?? null };
      return failure(service.error({ status: 400, error }), 400);
    }
    const scripted = await service.script(request);
    if ('error' in scripted) return failure(service.error(scripted), scripted.status, scripted.headers);
    return service.answer(scripted.content, scripted.stopReason, request);
  }

  return {
    requests,
    refused,
    async fetch(input, init) {
      const { url, method, headers, signal, body } = new Request(input, init);
      if (method !== 'POST' || body === null) return failure(service.error(notFound(url)), 404);
      signal.throwIfAborted();
      const request = {
        url,
        headers: Object.fromEntries(headers),
        body: JSON.parse(await new Response(body).text()) as Body,
        index: requests.length,
      };
      requests.push(request);
      const response = await reply(request);
      signal.throwIfAborted();
      return response;
    },
  };
}

export const notFound = (url: string): FakeError => ({
  status: 404,
  error: { type: 'not_found_error', message: `Not found: ${url}` },
});

function failure(body: Json, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers });
}

export function events(all: readonly Json[], end = ''): Response {
  const text = all.map((event) => {
    const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(text.join('') + end, { headers: { 'content-type': 'text/event-stream' } });
}

/** An id as the service gives them: its prefix and a long tail. An id that has the prefix already is kept. */
export function wireId(prefix: string, id: string | number): string {
  const text = String(id);
  return text.startsWith(prefix) ? text : `${prefix}${text.padStart(20, '0')}`;
}

/** Two pieces, so that whoever reads a stream has to join them. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

export function repeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
