import type { MastraTool } from '../catalog/tool.ts';
import { aFunction, type Complete, must, type OptionTable, oneOf } from '../util/check.ts';

/**
 * Settings of the provider's own tool search, with `mode: 'native'`.
 *
 * @example
 * ```ts
 * const native: NativeOptions = { execution: 'server', variant: 'regex', fallback: 'error' };
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
   * Anthropic's kind of search with `execution: 'server'`. Bedrock has only `'regex'`, and uses it regardless. @default
   * 'bm25'
   */
  readonly variant?: 'bm25' | 'regex';
  /**
   * Returns the OpenAI namespace of a tool, or undefined for none; `false` gives no tool a namespace. If two tools
   * describe the same namespace differently, the first description counts.
   *
   * @default with `execution: 'server'` the tool's group, which is its MCP server; none with `'client'`
   */
  readonly namespace?: OpenAINamespaceOf | false;
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
  variant: { default: 'bm25', check: oneOf('bm25', 'regex') },
  namespace: {
    check: must('a function, or false', (value) => value === false || typeof value === 'function'),
  },
  detect: { check: aFunction },
  fallback: { default: 'load', check: oneOf('load', 'call', 'error') },
  append: {
    default: 'auto',
    check: oneOf('auto', true, false),
  },
};

type Defaulted = 'execution' | 'variant' | 'fallback' | 'append';

/**
 * The options of native mode with their defaults. If the provider searches, an undefined `namespace` stands for the
 * tool's group.
 */
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

/**
 * A group of tools. OpenAI shows a model the name and the description of the group before a search.
 *
 * @example
 * ```ts
 * const crm: OpenAINamespace = { name: 'crm', description: 'Customers and deals.' };
 * new ToolSearchProcessor({ tools, mode: 'native', native: { namespace: () => crm } });
 * ```
 */
export interface OpenAINamespace {
  /** Characters other than letters, digits, `_` and `-` become `_`; at most 64 count. */
  readonly name: string;
  /** @default a sentence with the name */
  readonly description?: string;
}

/**
 * Returns the namespace of a tool, or the name of the namespace alone; undefined for none. A throw counts as undefined.
 * `tool.id` is the name of most tools.
 *
 * @example
 * ```ts
 * const namespace: OpenAINamespaceOf = (tool) => tool.id.split('_')[0];
 * new ToolSearchProcessor({ tools, mode: 'native', native: { namespace } });
 * ```
 */
export type OpenAINamespaceOf = (tool: MastraTool) => OpenAINamespace | string | undefined;
