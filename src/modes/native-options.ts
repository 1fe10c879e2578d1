import { overSource } from '../catalog/tool-source.ts';
import { aFunction, type Complete, type Contradiction, type OptionTable, oneOf } from '../util/check.ts';

/**
 * Settings of the provider's own tool search, with `mode: 'native'`.
 *
 * @example
 * ```ts
 * const native: NativeOptions = { execution: 'server', fallback: 'error' };
 * new ToolSearchProcessor({ tools, mode: 'native', native });
 * ```
 */
export interface NativeOptions {
  /**
   * The side that searches: `'client'`, this processor, with the scorer and all phases of the filter, or `'server'`,
   * the provider, in the same request.
   *
   * @default 'client'
   */
  readonly execution?: 'client' | 'server';
  /**
   * Overrides the built-in rules for a model: returns its dialect, `false` for none, or undefined to keep the rules.
   * The answer is not checked, so name a dialect only for a package that speaks Anthropic's Messages or OpenAI's
   * Responses. A throw counts as `false`. A proxy behind `baseURL` looks like the service itself: return `false` if the
   * proxy drops tool search.
   *
   * @see docs/native-mode.md#models
   */
  readonly detect?: (model: NativeModel) => NativeDialect | false | undefined;
  /**
   * What a model without tool search gets: `'load'` or `'call'`, the meta-tools of that mode, or `'error'`, a ToolSearchError
   * `native-unsupported` before the request.
   *
   * @default 'load'
   * @see docs/native-mode.md#when-the-provider-refuses
   */
  readonly fallback?: 'load' | 'call' | 'error';
  /**
   * Appends each definition in mid-conversation, where the tool was found, so that the tool list never changes.
   * `'auto'`: for models that are known to accept this, if their package sends it. `true`: for every model whose
   * package sends it.
   *
   * @default 'auto'
   * @see docs/native-mode.md#definitions-in-mid-conversation
   */
  readonly append?: 'auto' | boolean;
}

/**
 * The fields of a model that are read here, as Mastra hands it to processors.
 *
 * @example
 * ```ts
 * const isAzure = ({ provider }: NativeModel) => provider === 'azure.responses';
 * ```
 */
export interface NativeModel {
  readonly specificationVersion?: string;
  /** The provider and its interface, such as `anthropic.messages`, `openai.responses`. */
  readonly provider?: string;
  readonly modelId?: string;
  /** The gateway of a model that Mastra's router made from a text such as `anthropic/claude-sonnet-4-5`; else absent. */
  readonly gatewayId?: string;
  readonly config?: unknown;
}

export const nativeOptions: OptionTable<NativeOptions, Defaulted> = {
  execution: { default: 'client', check: oneOf('client', 'server') },
  detect: { check: aFunction },
  fallback: { default: 'load', check: oneOf('load', 'call', 'error') },
  append: {
    default: 'auto',
    check: oneOf('auto', true, false),
  },
};

interface Together {
  readonly tools?: unknown;
  readonly mode?: string;
  readonly native?: NativeOptions;
}

export const nativeContradictions: readonly Contradiction<Together>[] = [
  overSource('native.execution', "is not searched by the provider; use 'client'"),
  {
    paths: ['maxLoaded.tools', 'maxLoaded.tokens', 'metaTools.unload'],
    off: [false, Number.POSITIVE_INFINITY],
    expected: `left out with native.execution: 'server', where the provider decides what is loaded, or used with 'client'`,
    rulesOut: ({ mode, native }) => mode === 'native' && native?.execution === 'server',
  },
];

type Defaulted = 'execution' | 'fallback' | 'append';

/** The options of native mode with their defaults. */
export type ResolvedNative = Complete<NativeOptions, Defaulted>;

/**
 * The provider whose tool search a model has.
 *
 * @example
 * ```ts
 * const dialect: NativeDialect = 'openai';
 * new ToolSearchProcessor({ tools, mode: 'native', native: { detect: () => dialect } });
 * ```
 */
export type NativeDialect = 'anthropic' | 'openai';
