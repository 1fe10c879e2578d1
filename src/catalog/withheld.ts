import { hash } from 'node:crypto';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { Lru } from '../util/lru.ts';
import { asRecord } from '../util/record.ts';
import { inputJsonSchema } from './document.ts';
import type { CatalogEntry } from './entry.ts';

/** How long a refusal is remembered: then the provider may have changed its mind. */
const REMEMBERED_MS = 60 * 60 * 1000;
/** Names with refused definitions, over all models. */
const MAX_NAMES = 1_000;
/** Refused definitions of one name: each tenant may have its own. */
const MAX_DEFINITIONS = 50;

type Definition = Pick<CatalogEntry, 'name' | 'tool' | 'description'>;

/**
 * Tools that are not sent to a model, as its provider refuses their definitions.
 *
 * What counts is the definition: a tool that a function returns anew for each request is the same tool, and a tool of
 * another tenant with the same name is another one.
 */
export class Withheld {
  readonly #reporter: Reporter;
  /** By model and name: until when each definition is withheld. */
  readonly #names = new Lru<Map<string, number>>(MAX_NAMES);

  /** Tools of others that were reported. */
  readonly #foreign = new Lru<true>(MAX_NAMES);

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  /**
   * Withholds a tool from a model for an hour. The first time it is reported as `refused-schema`.
   *
   * @param entry - with its definition: a lazy tool has to be resolved.
   * @param model - a model of the AI SDK. What has no provider and id is one model.
   * @param reason - why, as a part of a sentence for the log.
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

  /** Reports a refused tool that cannot be withheld, as others send it: the agent itself, or another processor. */
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

  /** Whether a tool is withheld from a model. Cheap for a name that never was. */
  has(entry: Definition, model: unknown): boolean {
    const definitions = this.#names.get(keyOf(entry, model));
    return definitions !== undefined && (definitions.get(digestOf(entry)) ?? 0) > Date.now();
  }
}

/** Provider and id of a model; empty for what is no model. */
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

/** What a provider reads of a tool, besides its name. */
function digestOf({ tool, description }: Definition): string {
  let schema: unknown;
  try {
    schema = inputJsonSchema(tool);
  } catch {
    // Then the description is all that tells it from another one.
  }
  return hash('sha256', JSON.stringify([description, schema ?? null]), 'base64');
}
