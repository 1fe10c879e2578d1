import { asRecord, cut, jsonSchema, lazyRegex, ownEntries, type ToolDocument, type ToolIndex } from '../../kit.ts';

/**
 * How bad a finding is: an `error` keeps a tool from being found, called or trusted, a `warning` makes that less likely, an
 * `info` is good to know.
 *
 * @example
 * ```ts
 * const failing: readonly LintSeverity[] = ['error', 'warning'];
 * ```
 */
export type LintSeverity = 'error' | 'warning' | 'info';

/**
 * What a rule is about.
 *
 * @example
 * ```ts
 * const line = ({ summary, help }: LintRuleDescription) => `${summary} ${help}`;
 * ```
 */
export interface LintRuleDescription {
  /** What is wrong with a tool that it finds. */
  readonly summary: string;
  /** Why it matters, and what helps. */
  readonly help: string;
}

export interface Flaw {
  readonly severity: LintSeverity;
  /** The name by which the model calls the tool; of a tool that cannot be taken, the one it would have. */
  readonly toolName: string;
  /** The other tools of the finding, by their names. */
  readonly others?: readonly string[];
  /** The place in the definition: `description`, or a parameter as `filter.state`. Left out where it is the whole tool. */
  readonly path?: string;
  /** What is wrong, in a sentence. Texts of tools are quoted, cut, and what is not seen in them is escaped. */
  readonly evidence: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/** One check of a catalog. */
export interface Run extends LintedCatalog {
  /** The tools that are checked; the others still count in searches. */
  readonly chosen: readonly LintedTool[];
  /** Lets others have their turn where that is due. */
  pause(): Promise<void>;
}

/** A rule: what it is about, and how it finds flaws. It runs in browsers too. */
export interface Rule extends LintRuleDescription {
  /** Looks at one tool. */
  readonly ofTool?: (tool: LintedTool) => ToolFlaw | undefined;
  /** Looks at tools beside others. */
  readonly ofCatalog?: (run: Run) => readonly Flaw[] | Promise<readonly Flaw[]>;
  /** Whether that looks at the chosen tools alone, one by one. */
  readonly isOfChosen?: true;
}

/** A flaw of the tool that a rule looks at. */
export type ToolFlaw = Omit<Flaw, 'toolName'>;

/** Rules by their names: the keys of the groups are all rules that there are. */
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>;

/** What to do about a text that misleads the model. */
export const DISTRUST = 'Say only what the tool does. If the text is not yours, do not trust its server.';

/** Characters of a quoted text. */
const MAX_QUOTE = 120;

/** What is not seen: control and format characters, private ones, line ends, halves of pairs, and all that Unicode says may be ignored. */
const UNSEEN = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, 'gu');

/** A text of a tool in quotes: of bounded length, on one line, with the code in place of each character that is not seen. */
export function quote(text: string, maxLength: number = MAX_QUOTE): string {
  const short = cut(text, maxLength);
  return `"${onOneLine(short.replace(/["\\]/g, String.raw`\$&`))}${short.length < text.length ? '…' : ''}"`;
}

/** The beginning of a message, which may have a text of a tool in it. */
export function message(text: string, maxLength: number): string {
  return onOneLine(cut(text, maxLength));
}

function onOneLine(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').replace(UNSEEN(), codeOf);
}

export function list(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => quote(name, 64));
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

export interface LintedParameter {
  /** Its name behind those of the parameters that it is in: `filter.state`; `[]` stands behind the name of a list. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly depth: number;
}

/** A tool as the rules see it: plain data, in browsers too. */
export interface LintedTool {
  /** The name by which the model calls it. */
  readonly name: string;
  readonly originalName: string;
  /** Its name without the name of its server in front. */
  readonly bareName: string;
  /** The server, or the group, that it comes from; empty where neither is told. */
  readonly server: string;
  /** All of its description, trimmed. */
  readonly description: string;
  readonly title: string;
  readonly document: ToolDocument;
  /** The JSON schema of its input; undefined where it has none, or one that cannot be read. */
  readonly schema: unknown;
  /** Whether its input is validated by that; another library's schema validates for itself. Absent where nobody knows. */
  readonly isJsonSchema?: boolean;
  readonly parameters: readonly LintedParameter[];
  /** Other parts of the definition, by their names: `outputSchema`, `annotations`, `serverInstructions`. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** A tool that the catalog cannot take as it is. */
export interface RefusedTool {
  readonly name: string;
  readonly why: 'duplicate-tool' | 'reserved-name' | 'left-out' | 'unreadable';
  readonly message: string;
  /** The servers, or the groups, of the tools of that name; empty for each where neither is told. */
  readonly servers: readonly string[];
}

/** The `mode` of the processor. */
export type LintMode = 'load' | 'call' | 'native';

export interface LintedCatalog {
  readonly tools: readonly LintedTool[];
  readonly refused: readonly RefusedTool[];
  /** The index of the documents of all tools. */
  readonly index: ToolIndex;
  /** Results that a model is shown. */
  readonly topK: number;
  /** How the processor sends tools: some flaws are none of every mode. */
  readonly mode: LintMode;
}

type KnownParts = Omit<LintedTool, 'parameters' | 'bareName'>;

/** A tool as the rules see it. */
export function lintedTool(known: KnownParts): LintedTool {
  return { ...known, bareName: withoutServer(known.name, known.server), parameters: parametersOf(known.schema) };
}

function withoutServer(name: string, server: string): string {
  const prefix = server.replace(/[^A-Za-z0-9_-]/gu, '_').toLowerCase();
  const start = name.slice(0, prefix.length).toLowerCase();
  const isPrefixed = prefix !== '' && start === prefix && '_-'.includes(name.charAt(prefix.length));
  return isPrefixed && name.length > prefix.length + 1 ? name.slice(prefix.length + 1) : name;
}

const MAX_DEPTH = 8;
const MAX_PARAMETERS = 1_000;
/** Nodes of a schema that are read: a schema that makes new objects at each reading has no end. */
const MAX_NODES = 10_000;
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

interface Node {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** The parameters of a JSON schema with their paths, outer ones first. Cycles and what lies deeper than eight levels are left out. */
function parametersOf(schema: unknown): readonly LintedParameter[] {
  const found: LintedParameter[] = [];
  const paths = new Set<string>();
  const seen = new Set<object>();
  const queue: Node[] = [{ value: schema, path: '', depth: 0 }];
  for (const { value, path, depth } of queue) {
    const fields = jsonSchema.resolve(value, schema);
    if (!fields || depth > MAX_DEPTH || seen.has(fields)) continue;
    seen.add(fields);
    const required = fields['required'];
    for (const [name, property] of ownEntries(fields['properties'])) {
      const inner = path === '' ? name : `${path}.${name}`;
      const described = jsonSchema.resolve(property, schema) ?? {};
      // Beside a $ref there may be a description of its own.
      const description = asRecord(property)?.['description'] ?? described['description'];
      // Branches of a union may have one parameter each.
      if (!paths.has(inner)) {
        paths.add(inner);
        found.push({
          ...{ path: inner, name, depth, fields: described },
          description: typeof description === 'string' ? description.trim() : '',
          isRequired: Array.isArray(required) && required.includes(name),
        });
      }
      queue.push({ value: property, path: inner, depth: depth + 1 });
    }
    for (const place of ALTERNATIVES) {
      const branches = fields[place];
      if (Array.isArray(branches))
        for (const branch of branches.slice(0, 50)) queue.push({ value: branch, path, depth });
    }
    for (const place of ['items', 'additionalProperties'] as const)
      if (asRecord(fields[place])) queue.push({ value: fields[place], path: `${path}[]`, depth: depth + 1 });
    if (found.length >= MAX_PARAMETERS || queue.length >= MAX_NODES) break;
  }
  return found;
}

export interface LintedText {
  /** Its place: `name`, `title`, `description`, the path of a parameter, `inputSchema`, or another part of the definition. */
  readonly path: string;
  readonly text: string;
}

export interface LintedTexts {
  readonly texts: readonly LintedText[];
  /** Whether there are more than are read. */
  readonly isCut: boolean;
}

/** Characters of one tool that are read, with runs of blanks squeezed, and as they stand. */
export const MAX_CHARACTERS = 200_000;
const MAX_GIVEN = 4_000_000;
/** Values of one tool that are read. */
const MAX_VALUES = 20_000;
const MAX_PATH = 500;
/** Runs of blanks, which push what follows out of sight. Two blanks may set words apart whose letters are set apart by one. */
const BLANKS = /[\t\n\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{3,}/g;
/** Keys that are words of JSON schema. */
const KEYWORDS = new Set(
  `$defs $ref $schema additionalProperties allOf annotations anyOf const default definitions description enum examples format
  items maxItems maxLength maximum minItems minLength minimum not nullable oneOf pattern properties required title
  type`.split(/\s+/),
);
/** Cache: several rules read the texts of a tool. */
const cache = new WeakMap<LintedTool, LintedTexts>();

/** All strings of a definition, keys and values, each once: outer ones first. */
export function textsOf(tool: LintedTool): LintedTexts {
  const texts = cache.get(tool) ?? readTexts(tool);
  cache.set(tool, texts);
  return texts;
}

function readTexts({ originalName, title, description, schema, others = {} }: LintedTool): LintedTexts {
  const texts = new Map<string, LintedText>();
  const seen = new Set<object>();
  let given = 0;
  let characters = 0;
  const add = (text: string, path: string): void => {
    if (text === '' || texts.has(text)) return;
    given += text.length;
    const squeezed = text.slice(0, MAX_GIVEN).replace(BLANKS, (run) => (run.includes('\n') ? '\n\n' : '  '));
    characters += squeezed.length;
    const excess = Math.max(0, characters - MAX_CHARACTERS);
    texts.set(text, { path: path || 'inputSchema', text: squeezed.slice(0, squeezed.length - excess) });
  };
  const own: [string, unknown][] = Object.entries({ name: originalName, title, description, '': schema, ...others });
  // Values with their places, and whether their keys are names of parameters.
  const queue = own.map(([path, value]) => ({ value, path, hasNames: false }));
  const isFull = (): boolean => characters > MAX_CHARACTERS || given > MAX_GIVEN || queue.length > MAX_VALUES;
  for (const { value, path, hasNames } of queue) {
    if (isFull()) break;
    if (typeof value === 'string') add(value, path);
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, inner] of Object.entries(value)) {
      if (isFull()) break;
      const place = hasNames || !Array.isArray(value) ? placeOf(path, key, hasNames) : path;
      if (!Array.isArray(value) && (hasNames || !KEYWORDS.has(key))) add(key, place);
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null))
        queue.push({ value: inner, path: place, hasNames: !hasNames && key === 'properties' });
    }
  }
  return { texts: [...texts.values()], isCut: isFull() };
}

/** The path of what stands under a key: names of parameters are steps of it, and `[]` are the items of a list. */
function placeOf(path: string, key: string, isName: boolean): string {
  if (isName) return (path === '' ? key : `${path}.${key}`).slice(0, MAX_PATH);
  return (key === 'items' || key === 'additionalProperties') && path !== '' ? `${path}[]`.slice(0, MAX_PATH) : path;
}
