import { checkOption } from '../errors.ts';
import type { Catalog, RequestSearch, ResolvedOptions } from '../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import type { EvaluationCase, ToolsToRead } from '../workbench/evaluate/cases.ts';
import { lint } from '../workbench/lint/lint.ts';
import type { Funnel } from '../workbench/usage.ts';
import { type Guard, isLoopback, newToken, ownGuard, tokenGuard } from './access.ts';
import { type InspectorHandler, inspectorHandler } from './handler.ts';
import { InspectSource } from './source.ts';

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
   * Decides who sees the inspector. It shows the whole catalog, whatever the filter says, and searches in the name of any user,
   * so permit developers only. Any result but `true` refuses.
   *
   * @default whoever asks on the loopback with the token that the console shows
   */
  readonly authorize?: (request: Request) => boolean | Promise<boolean>;
  /** The name of the catalog. @default 'Tools' */
  readonly title?: string;
  /** Queries with the tools that they should find. @default none */
  readonly cases?: readonly EvaluationCase[];
}

const optionNames: NamesOf<InspectorOptions> = { authorize: true, title: true, cases: true };
/** Milliseconds until the console shows the address again. */
const QUIET = 10_000;

/** The inspector of a live processor. */
export function inspectorOf(
  search: RequestSearch,
  { scorer, topK, minConfidence, tools, source: toolSource, mode, keywords, groups }: ResolvedOptions,
  options: InspectorOptions,
  stats: () => Promise<Funnel>,
): InspectorHandler {
  refuseUnknownOptions('inspector()', options, optionNames);
  checkOption(
    toolSource === undefined,
    'tools',
    tools,
    'tools in the process: the inspector shows all of them, and a ToolSource is never listed whole',
  );
  const { authorize, title, cases } = options;
  checkOption(authorize === undefined || typeof authorize === 'function', 'authorize', authorize, 'a function');
  checkOption(title === undefined || typeof title === 'string', 'title', title, 'a text');
  checkOption(cases === undefined || Array.isArray(cases), 'cases', cases, 'a list of cases');
  // The page's own scorers have neither the agent's options nor what it has learned.
  const scorers = new Map([[`agent: ${scorer.name}`, search]]);
  const isPerRequest = typeof tools === 'function';
  // Code mode, like call mode, sends no definitions.
  const shownMode = mode === 'code' ? 'call' : mode;
  const findings = ({ entries }: Catalog): ReturnType<typeof lint> => {
    const record = isPerRequest
      ? Object.fromEntries(Array.from(entries, ({ key, tool }) => [key, tool]))
      : (tools as ToolsToRead);
    return lint(record, { keywords: Object.fromEntries(keywords), groups, topK, mode: shownMode });
  };
  const inspected = { search, isPerRequest, scorers, topK, stats, lint: findings };
  const source = new InspectSource(inspected, { title, cases, minConfidence, mode: shownMode });
  return inspectorHandler(source, authorize ? ownGuard(authorize) : guardWithToken());
}

/** A guard whose token the console shows when a request comes without it. */
function guardWithToken(): Guard {
  const token = newToken();
  let told = Number.NEGATIVE_INFINITY;
  return tokenGuard(token, isLoopback, ({ url, headers }) => {
    const address = new URL(url);
    address.host = headers.get('host') ?? address.host;
    address.search = `?token=${token}`;
    const now = performance.now();
    if (now - told > QUIET) {
      told = now;
      console.info(`[tool-search] The inspector: ${address}`);
    }
    return 'The console of this server tells the address with the token.';
  });
}
