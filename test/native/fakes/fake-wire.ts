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

/** A broken rule of the service, what it says of it, and the code of the error where it gives one. */
export type Refusal<Rule extends string> = readonly [rule: Rule, message: string, code?: string];

export interface FakeProvider<Body, Rule extends string = string> {
  /** For `createAnthropic({ fetch })` and `createOpenAI({ fetch })`. */
  readonly fetch: typeof globalThis.fetch;
  /** Every request so far, oldest first, also those that were refused. */
  readonly requests: readonly FakeRequest<Body>[];
  /** What was refused by the rules, oldest first. Errors that a script answers are not in it. */
  readonly refused: readonly { readonly rule: Rule; readonly message: string }[];
}

interface Service<Body, Block, Rule extends string> {
  readonly script: FakeScript<Body, Block>;
  /** What is wrong with a request. Only the first refusal counts. */
  refuse(body: Body, request: FakeRequest<Body>): Iterable<Refusal<Rule>>;
  answer(content: readonly Block[], stopReason: string | undefined, request: FakeRequest<Body>): Response;
  error(reply: FakeError): Json;
}

export function fakeProvider<Body, Block, Rule extends string>(
  service: Service<Body, Block, Rule>,
): FakeProvider<Body, Rule> {
  const requests: FakeRequest<Body>[] = [];
  const refused: { readonly rule: Rule; readonly message: string }[] = [];

  async function reply(request: FakeRequest<Body>): Promise<Response> {
    for (const [rule, why, code = null] of service.refuse(request.body, request)) {
      refused.push({ rule, message: why });
      const error = { type: 'invalid_request_error', message: `${why} [rule: ${rule}]`, code };
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
