import { hash } from 'node:crypto';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { inputJsonSchema } from './document.ts';
import type { CatalogEntry } from './entry.ts';

/** How long a refusal is remembered. Afterwards the tool is tried again: the provider may accept it by then. */
const REMEMBERED_MS = 60 * 60 * 1000;
/** Pairs of model and tool name with refused definitions. */
const MAX_NAMES = 1_000;
/** Refused definitions per model and name: each tenant may have its own definition. */
const MAX_DEFINITIONS = 50;

type Definition = Pick<CatalogEntry, 'name' | 'tool' | 'description'>;

/**
 * Tools that are not sent to a model, because its provider refuses their definitions.
 *
 * Tools are compared by definition: a tool that a function recreates for each request stays withheld, and another tenant's
 * tool of the same name does not become so.
 */
export class Withheld {
  readonly #reporter: Reporter;
  /** By model and name: the digest of each refused definition, and the time until which it is withheld. */
  readonly #names = new Lru<Map<string, number>>(MAX_NAMES);

  /** Reported tools that do not come from this processor. */
  readonly #foreign = new Lru<true>(MAX_NAMES);

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  /**
   * Withholds a tool from a model for an hour. The first time it is reported as `refused-schema`.
   *
   * @param entry - the entry with its definition: a lazy tool must be resolved.
   * @param model - an AI SDK model. All models without provider and id count as one.
   * @param reason - the end of the sentence that the log shows.
   */
  add(entry: Definition, model: unknown, reason: string, origin?: EventOrigin): void {
    const key = keyOf(entry, model);
    const definitions = this.#names.get(key) ?? new Map<string, number>();
    const digest = digestOf(entry);
    const isKnown = definitions.delete(digest);
    definitions.set(digest, Date.now() + REMEMBERED_MS);
    for (const oldest of definitions.keys()) {
      if (definitions.size <= MAX_DEFINITIONS) break;
      definitions.delete(oldest);
    }
    this.#names.set(key, definitions);
    if (isKnown) return;
    const what = `is not sent to the model "${modelName(model)}", as its provider refuses the definition`;
    this.#report(entry.name, `${what}: ${reason}`, origin);
  }

  /** Reports a refused tool that cannot be withheld, because the agent itself or another processor sends it. */
  reportForeign(name: string, model: unknown, reason: string, origin?: EventOrigin): void {
    const key = `${modelName(model)}\n${name}`;
    if (this.#foreign.get(key)) return;
    this.#foreign.set(key, true);
    const what = `is refused by the provider of the model "${modelName(model)}", and ends every request that has it`;
    this.#report(name, `${what}: ${reason} It is none of this processor's: mend it, or take it out.`, origin);
  }

  #report(toolName: string, what: string, origin: EventOrigin | undefined): void {
    const message = `Tool ${JSON.stringify(toolName)} ${what}`;
    this.#reporter.report({ type: 'tool-problem', toolName, problem: 'refused-schema', message }, origin);
  }

  /** Whether a tool is withheld from a model. The definition is hashed only for names with a refusal. */
  has(entry: Definition, model: unknown): boolean {
    const definitions = this.#names.get(keyOf(entry, model));
    return definitions !== undefined && (definitions.get(digestOf(entry)) ?? 0) > Date.now();
  }
}

/** Provider and id of a model; empty if the value is no model. */
export function modelName(model: unknown): string {
  try {
    const { provider, modelId } = asRecord(model) ?? {};
    return [provider, modelId].filter((part) => typeof part === 'string').join('/');
  } catch {
    return '';
  }
}

function keyOf({ name }: Definition, model: unknown): string {
  return `${modelName(model)}\n${name}`;
}

/** Hash of what a provider reads of a tool besides its name. */
function digestOf({ tool, description }: Definition): string {
  let schema: unknown;
  try {
    schema = inputJsonSchema(tool);
  } catch {
    // Without a readable schema, the description alone identifies the definition.
  }
  return hash('sha256', JSON.stringify([description, schema ?? null]), 'base64');
}
