import {
  checkOption,
  type Funnel,
  type InspectorHandler,
  type InspectorOptions,
  isToolSource,
  type NamesOf,
  type RequestSearch,
  type ResolvedOptions,
  refuseUnknownOptions,
} from '../kit.ts';
import { type Guard, isLoopback, newToken, ownGuard, tokenGuard } from './access.ts';
import { inspectorHandler } from './handler.ts';
import { InspectSource } from './source.ts';

const optionNames: NamesOf<InspectorOptions> = { authorize: true, title: true, cases: true };
/** Milliseconds until the address is told again. */
const QUIET = 10_000;

/** The inspector of a live processor. */
export function inspectorOf(
  search: RequestSearch,
  { scorer, topK, minConfidence, tools, native }: ResolvedOptions,
  options: InspectorOptions,
  stats: () => Promise<Funnel>,
): InspectorHandler {
  refuseUnknownOptions('inspector()', options, optionNames);
  checkOption(
    !isToolSource(tools),
    'tools',
    tools,
    'tools in the process: the inspector shows all of them, and a ToolSource is never listed whole',
  );
  const { authorize, title, cases } = options;
  checkOption(authorize === undefined || typeof authorize === 'function', 'authorize', authorize, 'a function');
  checkOption(title === undefined || typeof title === 'string', 'title', title, 'a text');
  checkOption(cases === undefined || Array.isArray(cases), 'cases', cases, 'a list of cases');
  // The page's own `bm25` has neither its options nor what was learned.
  const scorers = new Map([[`agent: ${scorer.name}`, search]]);
  const inspected = { search, isPerRequest: typeof tools === 'function', scorers, topK, stats };
  const source = new InspectSource(inspected, { title, cases, minConfidence, mode: native && 'native' });
  return inspectorHandler(source, authorize ? ownGuard(authorize) : guardWithToken());
}

/** A guard whose token the console tells to whoever comes without it. */
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
