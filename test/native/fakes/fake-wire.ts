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
  readonly error: { readonly message: string; readonly [field: string]: unknown };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeReply<Block> = { readonly content: readonly Block[]; readonly stopReason?: string } | FakeError;
export type FakeScript<Body, Block> = (request: FakeRequest<Body>) => FakeReply<Block> | Promise<FakeReply<Block>>;

/** A broken rule of the service, and where, or what the service says of it. */
export type Refusal = readonly [rule: string, message: string];

export interface FakeProvider<Body> {
  /** For `createAnthropic({ fetch })` and `createOpenAI({ fetch })`. */
  readonly fetch: typeof globalThis.fetch;
  /** Every request so far, oldest first, also those that were refused. */
  readonly requests: readonly FakeRequest<Body>[];
  /** What was refused by the rules, oldest first. Errors that a script answers are not in it. */
  readonly refused: readonly { readonly rule: string; readonly message: string }[];
}

interface Service<Body, Block> {
  readonly script: FakeScript<Body, Block>;
  /** What is wrong with a request. Only the first refusal counts. */
  refuse(body: Body, request: FakeRequest<Body>): Iterable<Refusal>;
  answer(content: readonly Block[], stopReason: string | undefined, request: FakeRequest<Body>): Response;
}

/** An error as both services give it. */
const failure = ({ status, error, headers = {} }: FakeError): Response =>
  Response.json({ type: 'error', error: { type: 'invalid_request_error', ...error } }, { status, headers });

export const notFound = (url: string): Response => failure({ status: 404, error: { message: `Not found: ${url}` } });

export function fakeProvider<Body, Block>(service: Service<Body, Block>): FakeProvider<Body> {
  const requests: FakeRequest<Body>[] = [];
  const refused: { readonly rule: string; readonly message: string }[] = [];

  async function reply(request: FakeRequest<Body>): Promise<Response> {
    for (const [rule, message] of service.refuse(request.body, request)) {
      refused.push({ rule, message });
      return failure({ status: 400, error: { message: `${message} [rule: ${rule}]` } });
    }
    const scripted = await service.script(request);
    return 'error' in scripted ? failure(scripted) : service.answer(scripted.content, scripted.stopReason, request);
  }

  return {
    requests,
    refused,
    async fetch(input, init) {
      const { url, method, headers, signal, body } = new Request(input, init);
      if (method !== 'POST' || body === null) return notFound(url);
      signal.throwIfAborted();
      const sent = JSON.parse(await new Response(body).text()) as Body;
      const request = { url, headers: Object.fromEntries(headers), body: sent, index: requests.length };
      requests.push(request);
      const response = await reply(request);
      signal.throwIfAborted();
      return response;
    },
  };
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

export const repeated = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index);
