import type { CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { overSource } from '../catalog/tool-source.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Forms } from '../meta-tools/forms.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { sentTools } from '../modes/load.ts';
import type { NativeModel } from '../modes/native-options.ts';
import type { RequestState } from '../step/request.ts';
import type { ModeTools, Step } from '../step/step.ts';
import { type Contradiction, isAtLeast, must, numberFrom, type Option, type OptionTable } from '../util/check.ts';
import { Memory } from '../util/memory.ts';
import { asRecord, isRecord } from '../util/record.ts';
import type { Feature } from './feature.ts';

/**
 * Limits for sending a catalog whole: a catalog is sent whole while it stays below every limit given.
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, passthroughBelow: { tools: 8, tokens: 2_000 } });
 * // A tenth of the window of whichever model the request has.
 * const contextWindow = ({ modelId = '' }: NativeModel) => (modelId.startsWith('gpt-4.1') ? 1_000_000 : 200_000);
 * new ToolSearchProcessor({ tools, passthroughBelow: { share: 0.1, contextWindow } });
 * ```
 */
export interface PassthroughLimits {
  /** Number of tools. */
  readonly tools?: number;
  /** Tokens of the definitions, estimated from their JSON. */
  readonly tokens?: number;
  /** Tokens of the definitions as a share of the context window, such as 0.1. Requires `contextWindow`. */
  readonly share?: number;
  /**
   * Context window of the model, in tokens: a number, or a function of the model of the run's first step. If the
   * function returns no number, the catalog is searched.
   */
  readonly contextWindow?: number | ((model: NativeModel) => number | undefined);
}

const passthroughOptions: OptionTable<PassthroughLimits> = {
  tools: { check: numberFrom(1) },
  tokens: { check: numberFrom(1) },
  share: { check: must('a number above 0, up to 1', (value) => isAtLeast(value, 0) && value > 0 && value <= 1) },
  contextWindow: {
    check: must(
      'tokens, or a function from a model to its tokens',
      (value) => isAtLeast(value, 1) || typeof value === 'function',
    ),
  },
};

export const passthroughOption: Option<number | PassthroughLimits> = {
  check: must(
    'a number of tools (0 is off), or { tools, tokens, share, contextWindow }',
    (value) =>
      value === 0 ||
      isAtLeast(value, 1) ||
      (isRecord(value) && ['tools', 'tokens', 'share'].some((limit) => value[limit] !== undefined)),
  ),
  of: passthroughOptions,
};

export const passthroughContradictions: readonly Contradiction<{ tools?: unknown; passthroughBelow?: unknown }>[] = [
  overSource('passthroughBelow', 'is never sent whole; leave small catalogs in the process'),
  {
    paths: ['passthroughBelow.share'],
    expected: 'used with passthroughBelow.contextWindow, the tokens that the model can read',
    rulesOut: ({ passthroughBelow }) => asRecord(passthroughBelow)?.['contextWindow'] === undefined,
  },
];

export interface PassthroughLimit {
  readonly name: 'tools' | 'tokens' | 'share';
  /** The limit for a model; a share is converted to tokens. 0 if the context window is unknown or its function throws. */
  below(model: unknown): number;
}

export function limitsOf(option: number | PassthroughLimits = 0): readonly PassthroughLimit[] {
  const { tools, tokens, share, contextWindow }: PassthroughLimits =
    typeof option === 'number' ? { tools: option } : option;
  return [
    ...(tools ? [{ name: 'tools', below: () => tools } as const] : []),
    ...(tokens ? [{ name: 'tokens', below: () => tokens } as const] : []),
    ...(share ? [{ name: 'share', below: (model: unknown) => share * tokensIn(contextWindow, model) } as const] : []),
  ];
}

function tokensIn(contextWindow: PassthroughLimits['contextWindow'], model: unknown): number {
  try {
    const tokens = typeof contextWindow === 'function' ? contextWindow(model ?? {}) : contextWindow;
    return typeof tokens === 'number' && tokens > 0 ? tokens : 0;
  } catch {
    return 0;
  }
}

/** The option `passthroughBelow`: sends a small catalog whole, without meta-tools. */
export class Passthrough implements Feature {
  readonly #limits: readonly PassthroughLimit[];
  readonly #loader: Loader;
  readonly #forms: Forms;
  readonly #reporter: Reporter;
  readonly #decided = new Memory<{ isWhole?: boolean }, RequestState>(() => ({}));

  constructor(limits: readonly PassthroughLimit[], loader: Loader, forms: Forms, reporter: Reporter) {
    this.#limits = limits;
    this.#loader = loader;
    this.#forms = forms;
    this.#reporter = reporter;
  }

  /** Decides once a request, in its first step. */
  async begin(step: Step): Promise<void> {
    const decided = this.#decided.of(step.state);
    decided.isWhole ??= await this.#isWhole(step);
  }

  /** Sends everything that the request may find, load and use, and the pinned tools. */
  async replace(step: Step, pinned: () => Promise<readonly CatalogEntry[]>): Promise<ModeTools | undefined> {
    if (!this.#decided.of(step.state).isWhole) return undefined;
    const { catalog, own, permissions } = step;
    const always = await pinned();
    const all = [...catalog.entries].filter(({ name }) => !Object.hasOwn(own, name));
    const loadable = await permissions.allowed(all, ['search', 'load']);
    const whole = new Set([...always, ...loadable]);
    const active = await permissions.allowed(
      all.filter((entry) => whole.has(entry)),
      'active',
    );
    const failing = await this.#loader.unusable(active, step);
    const entries = active.filter(({ name }) => !failing.has(name));
    step.tools.add('pinned', entries);
    return sentTools({}, this.#forms.byName(entries, step), step);
  }

  /**
   * Whether the catalog is below all limits; reports the decision. Searching a small catalog costs more than it saves.
   *
   * Only tools that the request may see count. If the filter runs out of time, their number is unknown, and the catalog
   * is not sent whole.
   */
  async #isWhole({ catalog, permissions, origin, args }: Step): Promise<boolean> {
    const limits = this.#limits.map(({ name, below }) => ({ name, below: below(args.model) }));
    const most = permissions.isOpen ? undefined : limits.find(({ name }) => name === 'tools')?.below;
    const enough = Math.ceil(most ?? Number.POSITIVE_INFINITY);
    const { permitted, left } = await permissions.inSearch().choose(catalog.entries, enough, 'search');
    if (left > 0) return false;
    const sizes = limits.map(({ name, below }) => {
      return { limit: name, below, size: name === 'tools' ? permitted.length : tokensUpTo(below, permitted) };
    });
    const decisive = sizes.find(({ size, below }) => size >= below) ?? sizes.at(-1);
    if (!decisive) return false;
    const isWhole = decisive.size < decisive.below;
    this.#reporter.report({ type: 'passthrough', isSentWhole: isWhole, ...decisive }, origin);
    return isWhole;
  }
}

/** Sums the tokens of the definitions and stops at the limit, since a catalog may have thousands of tools. */
function tokensUpTo(limit: number, entries: readonly CatalogEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    tokens += definitionTokens(entry);
    if (tokens >= limit) break;
  }
  return tokens;
}
