import { cut, lazyRegex } from '../util/text.ts';

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

/** The texts of a definition, wherever it comes from. */
export interface DefinitionTexts {
  readonly originalName: string;
  readonly title: string;
  readonly description: string;
  readonly schema: unknown;
  /** Other parts of the definition, by their names: `outputSchema`, `annotations`, `serverInstructions`. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export interface ReadText {
  /** Its place: `name`, `title`, `description`, the path of a parameter, `inputSchema`, or another part of the definition. */
  readonly path: string;
  readonly text: string;
}

export interface ReadTexts {
  readonly texts: readonly ReadText[];
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
const cache = new WeakMap<DefinitionTexts, ReadTexts>();

/** All strings of a definition, keys and values, each once: outer ones first. */
export function textsOf(tool: DefinitionTexts): ReadTexts {
  const texts = cache.get(tool) ?? readTexts(tool);
  cache.set(tool, texts);
  return texts;
}

function readTexts({ originalName, title, description, schema, others = {} }: DefinitionTexts): ReadTexts {
  const texts = new Map<string, ReadText>();
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
