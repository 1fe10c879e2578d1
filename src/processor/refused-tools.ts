import type { Withheld } from '../catalog/withheld.ts';
import { modelName } from '../catalog/withheld.ts';
import type { Loader } from '../meta-tools/loading.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { asRecord } from '../util/record.ts';
import { type Refusal, refusalIn } from '../util/refusal.ts';
import { cut } from '../util/text.ts';
import type { RequestState } from './request.ts';
import type { SentTools, Step } from './step.ts';

/** Requests that are repeated in one run because of refused tools. Mastra has a limit of its own, `maxProcessorRetries`. */
const MAX_RETRIES = 5;
/** Characters of a service's words that the log quotes. */
const MAX_REASON = 300;

/** The last step of a run, and what its services refused. */
interface Memory {
  step: Step;
  /** The names of the tools that were sent, in their order. */
  sent: readonly string[];
  /** By model and name. */
  readonly refused: Set<string>;
}

/**
 * Takes out what a provider refuses: one tool whose definition it does not take would end every request of a thread that has
 * loaded it. The refusal has to name the tool; nothing is guessed.
 */
export class RefusedTools {
  readonly #withheld: Withheld;
  readonly #loader: Loader;
  readonly #memories = new WeakMap<RequestState, Memory>();

  constructor(withheld: Withheld, loader: Loader) {
    this.#withheld = withheld;
    this.#loader = loader;
  }

  /** Remembers what a step sends. */
  noteSent(step: Step, { tools, activeTools }: SentTools): void {
    const names = Object.keys(tools);
    const sent = activeTools ? names.filter((name) => activeTools.includes(name)) : names;
    const memory = this.#memories.get(step.state);
    if (memory) Object.assign(memory, { step, sent });
    else this.#memories.set(step.state, { step, sent, refused: new Set() });
  }

  /**
   * Withholds the tool that a provider has refused, as far as it is one of the catalog; the next step unloads it.
   *
   * @returns whether the request is worth another try; undefined for an error that names no tool.
   */
  retry(error: unknown, state: RequestState): boolean | undefined {
    const memory = this.#memories.get(state);
    const refusal = memory && refusalIn(error);
    const found = refusal && refusedTool(refusal, memory.sent);
    if (!found) return undefined;
    const { step, refused } = memory;
    const { catalog, own, args, origin } = step;
    const { name, reason } = found;
    const known = Object.hasOwn(own, name) ? undefined : catalog.get(name);
    const entry = known && (this.#loader.ready(known, step) ?? known);
    if (!entry) {
      this.#withheld.reportForeign(name, args.model, cut(reason, MAX_REASON), origin);
      return false;
    }
    this.#withheld.add(entry, args.model, cut(reason, MAX_REASON), origin);
    const hint = prompts.cannotBeUsed(entry.name);
    if (!state.hints.includes(hint)) state.hints.push(hint);
    const key = `${modelName(args.model)}\n${entry.name}`;
    // Another processor sends it.
    if (refused.has(key)) return false;
    refused.add(key);
    return refused.size <= MAX_RETRIES;
  }
}

interface Found {
  readonly name: string;
  /** The words that named it. */
  readonly reason: string;
}

/**
 * The tool that a refusal names. Texts of tools stand in the words of services, so that only the first place counts, and a
 * name only in a sentence about schemas.
 */
function refusedTool({ body, texts }: Refusal, sent: readonly string[]): Found | undefined {
  const names = namesIn(body) ?? sent;
  const reason = texts.find((text) => /\s/.test(text)) ?? texts[0] ?? '';
  for (const text of texts) {
    const name = nameAt(placeIn(text), body, sent);
    if (name !== undefined) return { name, reason };
  }
  for (const text of texts) {
    const name = namedIn(text, names);
    if (name !== undefined) return { name, reason: text };
  }
  return undefined;
}

/**
 * A place in a request: `tools.3.custom.input_schema`, `tools[3].function.parameters`,
 * `toolConfig.tools.3.member.toolSpec`, `GenerateContentRequest.tools[0].function_declarations[3].parameters`.
 */
const PLACE = /\b(?:toolConfig|tools|messages|input)(?:\[\d+\]|\.\w+)+/;
/** Google's words before a place, with a property's name, which may look like one. */
const BEFORE_PLACE = /^Invalid JSON payload received\. Unknown name ".*" at '/;

function placeIn(text: string): readonly string[] {
  const [place] = PLACE.exec(text.replace(BEFORE_PLACE, '')) ?? [];
  return place?.match(/\w+/g) ?? [];
}

/** The parts of a tool that are its definition, as requests call them. Others are the processor's business. */
const DEFINITION = /^(?:input_?schema|parameters|parameters_?json_?schema|tool_?spec|description|name)$/i;

/** The name of the tool whose definition a place lies in. */
function nameAt(place: readonly string[], body: unknown, sent: readonly string[]): string | undefined {
  const at = place.findIndex((word) => DEFINITION.test(word));
  if (at === -1) return undefined;
  const request = asRecord(body);
  if (!request) return place[0] === 'tools' && /^\d+$/.test(place[1] ?? '') ? sent[Number(place[1])] : undefined;
  let current: unknown = request;
  let name: string | undefined;
  for (const word of place.slice(0, at + 1)) {
    // Services name the kind of a part as well: "custom", "member".
    const next = step(current, word);
    if (next === undefined) continue;
    name = definedName(next) ?? name;
    current = next;
  }
  return name;
}

function step(current: unknown, word: string): unknown {
  if (Array.isArray(current)) {
    // Google leaves out the only one's number.
    return /^\d+$/.test(word) ? current[Number(word)] : current.length === 1 ? step(current[0], word) : undefined;
  }
  const fields = asRecord(current);
  const camelCase = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return fields?.[word] ?? fields?.[camelCase];
}

const SCHEMAS = ['input_schema', 'inputSchema', 'parameters', 'parametersJsonSchema'];

/** The name in a definition of a tool. A call of a tool has a name, too. */
function definedName(part: unknown): string | undefined {
  const fields = asRecord(part);
  const name = fields?.['name'];
  if (typeof name !== 'string') return undefined;
  const isTool = SCHEMAS.some((key) => Object.hasOwn(fields as object, key)) || fields?.['type'] === 'function';
  return isTool ? name : undefined;
}

/** The names of all tools of a request; undefined where it cannot be read. */
function namesIn(body: unknown): readonly string[] | undefined {
  const { tools, toolConfig } = asRecord(body) ?? {};
  const listed = [tools ?? asRecord(toolConfig)?.['tools']].flat(2);
  const names = listed.flatMap((tool) => {
    const fields = asRecord(tool) ?? {};
    const inner = [fields['function'], fields['toolSpec'], fields['tools'], fields['functionDeclarations']].flat();
    return [fields, ...inner].flatMap((part) => {
      const name = asRecord(part)?.['name'];
      return typeof name === 'string' ? [name] : [];
    });
  });
  return names.length > 0 ? names : undefined;
}

const ABOUT_SCHEMAS = /schema|parameters|function declaration/i;
const NAMED = /\b(?:function|tool)(?: declaration)?:? ['"`“‘]([\w.-]+)['"`”’]/i;

/** The one tool that a sentence about schemas names in quotes. */
function namedIn(text: string, names: readonly string[]): string | undefined {
  if (!ABOUT_SCHEMAS.test(text)) return undefined;
  const [, named = ''] = NAMED.exec(text) ?? [];
  if (names.includes(named)) return named;
  const quoted = new Set([...text.matchAll(/['"`“‘]([\w.-]+)['"`”’]/g)].map(([, word = '']) => word));
  const known = [...quoted].filter((word) => names.includes(word));
  return known.length === 1 ? known[0] : undefined;
}
