/**
 * A query, and the tools that it should find.
 *
 * @example
 * ```ts
 * const cases: readonly EvaluationCase[] = [
 *   { query: 'write to a colleague', relevant: ['send_email', 'post_message'] },
 *   { query: 'book a flight', relevant: [] },
 * ];
 * ```
 */
export interface EvaluationCase {
  /** A name for reports. @default the place in the list, from 1 */
  readonly id?: string;
  readonly query: string;
  /** The tools that serve the query, by their names or keys; none where no tool of the catalog does. */
  readonly relevant: readonly string[];
  /** Lists of interchangeable tools, one for each need of the query. @default each relevant tool is a need */
  readonly groups?: readonly (readonly string[])[];
}

/**
 * The options of `processor.inspector()`.
 *
 * @example
 * ```ts
 * const options: InspectorOptions = {
 *   authorize: (request) => request.headers.get('x-role') === 'developer',
 *   title: 'Office assistant',
 * };
 * const handler = await new ToolSearchProcessor({ tools }).inspector(options);
 * ```
 */
export interface InspectorOptions {
  /**
   * Decides who sees the inspector. It shows the whole catalog, whatever the filter says, and answers in the name of any
   * user: permit developers only. Anything but `true` refuses.
   *
   * @default whoever asks on the loopback with the token that the console tells
   */
  readonly authorize?: (request: Request) => boolean | Promise<boolean>;
  /** Names the catalog. @default 'Tools' */
  readonly title?: string;
  /** Queries with the tools that they should find. @default none */
  readonly cases?: readonly EvaluationCase[];
}

/**
 * A request as Hono has it, and so the routes of Mastra's server.
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
 * Answers the requests of an inspector: GET with the page, POST with what the page asks. All are for one address.
 *
 * @example
 * ```ts
 * const handler: InspectorHandler = await new ToolSearchProcessor({ tools }).inspector();
 * const response = await handler(new Request('http://localhost:4111/tools'));
 * ```
 */
export type InspectorHandler = (request: Request | RouteContext) => Promise<Response>;
