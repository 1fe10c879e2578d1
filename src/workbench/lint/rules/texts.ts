import type { LintedTool } from '../linted-catalog.ts';

/** A text that the model may read of a tool. */
export interface LintedText {
  /** Its place: `name`, `title`, `description`, the path of a parameter, `inputSchema`, or another part of the definition. */
  readonly path: string;
  readonly text: string;
}

/** The texts of a tool. */
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

interface Value {
  readonly value: unknown;
  readonly path: string;
  /** Whether its keys are names of parameters. */
  readonly hasNames: boolean;
}

/** All strings of a definition, keys and values, each once: outer ones first. */
export function textsOf(tool: LintedTool): LintedTexts {
  const known = cache.get(tool);
  if (known) return known;
  const texts = read(tool);
  cache.set(tool, texts);
  return texts;
}

function read({ originalName, title, description, schema, others = {} }: LintedTool): LintedTexts {
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
  const own = Object.entries({ name: originalName, title, description, '': schema, ...others });
  const queue: Value[] = own.map(([path, value]) => ({ value, path, hasNames: false }));
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
