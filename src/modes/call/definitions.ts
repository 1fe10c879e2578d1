import { makeCoreTool } from '@mastra/core/utils';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { MAX_SIGNATURE, parametersOf } from '../../catalog/signature.ts';
import { providerSchema } from '../../mastra/provider-schema.ts';
import { isRefusedInput } from '../../mastra/validated-call.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import { asRecord } from '../../util/record.ts';
import { clean, cut } from '../../util/text.ts';
import { estimateTokens } from '../../util/tokens.ts';

/** What texts for a model name, and how long they may be. */
export interface CallWording {
  /** The name of the meta-tool that searches. */
  readonly search: string;
  /** The name of `call_tool`; absent where a model calls tools by their own names alone. */
  readonly bridge?: string | undefined;
  /** Tokens of the definitions in one answer. */
  readonly schemaTokens: number;
}

/** What a model needs to call a tool. */
export type Definition = { readonly parameters: unknown } | { readonly signature: string };

/** How a tool is called: `isWhole` gives its definition whatever the room. */
type Define = (entry: CatalogEntry, isDefined: boolean, isWhole?: boolean) => Definition;

/**
 * Tells how tools are called that are not sent: with the JSON schema of their parameters as long as there is room, the
 * best first; then with a signature.
 *
 * @param model - for which the schemas are.
 * @param tokens - the room for all of them.
 */
export function definer(model: unknown, tokens: number): Define {
  let left = tokens;
  return (entry, isDefined, isWhole = false) => {
    const parameters = isDefined && (isWhole || left > 0) ? definitionOf(entry, model) : undefined;
    const size = parameters === undefined ? Number.POSITIVE_INFINITY : estimateTokens(JSON.stringify(parameters));
    if (parameters === undefined || (size > left && !isWhole))
      return { signature: parametersOf(entry.tool, MAX_SIGNATURE) };
    left -= size;
    return { parameters };
  };
}

/** The answer to a call with arguments that do not fit. */
export interface Mistaken {
  readonly error: true;
  readonly message: string;
  readonly toolName: string;
  /** The JSON schema of the tool's parameters. */
  readonly parameters?: unknown;
  /** In its place where that is huge. */
  readonly signature?: string;
}

/** The most characters of the mistakes in a call that an answer quotes. */
const MAX_MISTAKES = 4_000;
/** A definition of up to this many tokens follows a mistake, however few of a search's results get theirs. */
const MIN_ROOM = 6_000;

/** Tells the mistakes in a call, with what the model needs to mend them. */
export function mistaken(mistakes: string, entry: CatalogEntry, model: unknown, wording: CallWording): Mistaken {
  const room = Math.max(MIN_ROOM, 4 * wording.schemaTokens);
  const parameters = definitionOf(entry, model) ?? {};
  const isHuge = estimateTokens(JSON.stringify(parameters)) > room;
  const shown = mistakes.length > MAX_MISTAKES ? `${cut(mistakes, MAX_MISTAKES)}...` : mistakes;
  const select = isHuge ? { search: wording.search, name: entry.name } : undefined;
  return {
    error: true,
    message: prompts.mistaken(shown, wording.bridge, select),
    toolName: entry.name,
    ...(isHuge ? { signature: parametersOf(entry.tool, MAX_SIGNATURE) } : { parameters }),
  };
}

/**
 * The result of a tool that the model was not sent. Where its input did not fit, Mastra says how, and the model learns what
 * does.
 */
export function explained(result: unknown, entry: CatalogEntry, model: unknown, wording: CallWording): unknown {
  return isRefusedInput(result) ? mistaken(result.message, entry, model, wording) : result;
}

type Standard = { readonly '~standard'?: { readonly jsonSchema?: { input(options: object): unknown } } };
type Converted = { readonly jsonSchema?: unknown };

/** The JSON schema of a tool's parameters as Mastra would send it to this model; undefined where there is none. */
function definitionOf({ name, tool, isResolved }: CatalogEntry, model: unknown): unknown {
  try {
    const shaped = isResolved ? undefined : (providerSchema(tool, name, model) as Standard | undefined);
    const own = (tool as { parameters?: Converted }).parameters;
    const converted = isResolved ? own : (makeCoreTool(tool, { name } as never).parameters as Converted | undefined);
    const schema = shaped?.['~standard']?.jsonSchema?.input({ target: 'draft-07' }) ?? converted?.jsonSchema;
    if (!asRecord(schema)) return undefined;
    const { $schema: _, ...rest } = schema as Record<string, unknown>;
    const text = JSON.stringify(rest);
    // Without what a person does not see and a model reads.
    return JSON.parse(clean(text, text.length)) as unknown;
  } catch {
    return undefined;
  }
}
