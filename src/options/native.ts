import type { MastraTool } from '../catalog/tool.ts';
import { checkOption, invalidOption } from '../errors.ts';
import { asRecord, isRecord } from '../util/record.ts';

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
   * Anthropic's kind of search with `execution: 'server'`. Bedrock has `'regex'` alone and gets it.
   *
   * @default 'bm25'
   */
  readonly variant?: 'bm25' | 'regex';
  /**
   * The OpenAI namespace of a tool; undefined for none, `false` for none at all. Tools with the same name of a
   * namespace get the description of the first.
   *
   * @default with `execution: 'server'` the tool's group, which is its MCP server; none with `'client'`
   */
  readonly namespace?: OpenAINamespaceOf | false;
  /**
   * Decides for a model in place of the built-in rules; undefined leaves it to them. It is asked for every model and
   * believed, so name only those whose package speaks Anthropic's Messages or OpenAI's Responses. A throw means
   * `false`. A proxy behind `baseURL` looks like the service itself: where it drops tool search, return `false`.
   */
  readonly detect?: (model: NativeModel) => NativeDialect | false | undefined;
  /**
   * The way out for a model without tool search: `'load'` or `'call'`, the meta-tools of that mode, or `'error'`, a
   * ToolSearchError `native-unsupported` before the request. With `'error'`, a request that the provider refuses is not
   * tried again without its tool search.
   *
   * @default 'load'
   */
  readonly fallback?: 'load' | 'call' | 'error';
  /**
   * Definitions in mid-conversation: each is sent where it was found, and the list of tools never changes. `'auto'`: where
   * the model is known to take them, and its package sends them. `true`: with every model whose package sends them.
   *
   * @default 'auto'
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

/** The options of native mode, checked, with their defaults. */
export interface ResolvedNative {
  readonly execution: 'client' | 'server';
  readonly variant: 'bm25' | 'regex';
  /** The namespace of a tool; undefined for its group, where namespaces are the default. */
  readonly namespace: OpenAINamespaceOf | false | undefined;
  readonly detect: NonNullable<NativeOptions['detect']> | undefined;
  readonly fallback: 'load' | 'call' | 'error';
  readonly append: 'auto' | boolean;
}

/** Options that native mode depends on, and those that it rules out. */
interface OtherOptions {
  readonly mode?: unknown;
  readonly native?: unknown;
  readonly maxLoaded?: unknown;
  readonly metaTools?: unknown;
}

/**
 * Checks the options of native mode.
 *
 * @returns undefined in every other mode.
 * @throws ToolSearchError `invalid-option`
 */
export function resolveNative(options: OtherOptions): ResolvedNative | undefined {
  const { mode = 'load', native } = options;
  checkOption(isOneOf(mode, 'load', 'call', 'native'), 'mode', mode, `'load', 'call' or 'native'`);
  if (mode !== 'native') {
    checkOption(native === undefined, 'mode', mode, `'native' where there is the option native`);
    return undefined;
  }
  const given = native === undefined ? {} : native;
  if (!isRecord(given)) {
    throw invalidOption('native', native, 'an object with execution, variant, namespace, detect, fallback or append');
  }
  const { execution = 'client', variant = 'bm25', namespace, detect, fallback = 'load' } = given as NativeOptions;
  const { append = 'auto' } = given as NativeOptions;
  checkOption(isOneOf(execution, 'client', 'server'), 'native.execution', execution, `'client' or 'server'`);
  checkOption(isOneOf(variant, 'bm25', 'regex'), 'native.variant', variant, `'bm25' or 'regex'`);
  checkOption(isOneOf(fallback, 'load', 'call', 'error'), 'native.fallback', fallback, `'load', 'call' or 'error'`);
  const isNamespace = namespace === undefined || namespace === false || typeof namespace === 'function';
  checkOption(isNamespace, 'native.namespace', namespace, 'a function, or false');
  checkOption(append === 'auto' || typeof append === 'boolean', 'native.append', append, `'auto', true or false`);
  checkOption(detect === undefined || typeof detect === 'function', 'native.detect', detect, 'a function');
  if (execution === 'server') refuseForServer(options);
  return { execution, variant, namespace, detect, fallback, append };
}

/** Refuses options that unload: where the provider searches, nothing here can. */
function refuseForServer({ maxLoaded, metaTools }: OtherOptions): void {
  const expected = `left out with native.execution: 'server', where the provider decides what is loaded, or used with 'client'`;
  const isCap = (value: unknown): boolean => value !== undefined && value !== Number.POSITIVE_INFINITY;
  const { tools, tokens } = asRecord(maxLoaded) ?? {};
  checkOption(!isCap(tools), 'maxLoaded.tools', tools, expected);
  checkOption(!isCap(tokens), 'maxLoaded.tokens', tokens, expected);
  const unload = asRecord(metaTools)?.['unload'];
  checkOption(!unload, 'metaTools.unload', unload, expected);
}

function isOneOf(value: unknown, ...values: readonly string[]): boolean {
  return values.includes(value as string);
}

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
 * A group of tools, of which OpenAI shows a model the name and the description before it searches.
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
 * The namespace of a tool, or its name alone; undefined for none, as is a throw. `tool.id` is the name of most tools.
 *
 * @example
 * ```ts
 * const namespace: OpenAINamespaceOf = (tool) => tool.id.split('_')[0];
 * new ToolSearchProcessor({ tools, mode: 'native', native: { namespace } });
 * ```
 */
export type OpenAINamespaceOf = (tool: MastraTool) => OpenAINamespace | string | undefined;
