import { cut, lazyRegex } from '../util/text.ts';

/** Default limit of a quoted text, in characters. */
const MAX_QUOTE = 120;

/**
 * Invisible characters: control, format, private use, unassigned, lone surrogates, line and paragraph separators, and
 * default ignorable ones.
 */
const UNSEEN = lazyRegex(String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, 'gu');

/** Quotes a text of a tool: cut, on one line, with invisible characters as `\u{…}`. */
export function quote(text: string, maxLength: number = MAX_QUOTE): string {
  const short = cut(text, maxLength);
  return `"${onOneLine(short.replace(/["\\]/g, String.raw`\$&`))}${short.length < text.length ? '…' : ''}"`;
}

/** Cuts a message that may contain a tool's text, and escapes its invisible characters. */
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

/** The parts of a tool definition that are checked. */
export interface DefinitionTexts {
  readonly originalName: string;
  readonly title: string;
  readonly description: string;
  readonly schema: unknown;
  /** Other parts of the definition, by their names: `outputSchema`, `annotations`, `serverInstructions`. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export interface ReadText {
  /**
   * The place of the text: `name`, `title`, `description`, the path of a parameter, `inputSchema`, or another part of
   * the definition.
   */
  readonly path: string;
  readonly text: string;
}

export interface ReadTexts {
  readonly texts: readonly ReadText[];
  /** Whether the limits left texts unread. */
  readonly isCut: boolean;
}

/** Limits of the characters that are read from one tool: after runs of blanks are squeezed, and before. */
export const MAX_CHARACTERS = 200_000;
const MAX_GIVEN = 4_000_000;
/** Limit of the values that are read from one tool. */
const MAX_VALUES = 20_000;
const MAX_PATH = 500;
/**
 * Three or more blanks, which can push text out of a reviewer's sight. Two blanks may separate letter-spaced words, so
 * they are kept.
 */
const BLANKS = /[\t\n\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{3,}/g;
/** Keywords of JSON schema. Other keys are read as texts. */
const KEYWORDS = new Set(
  `$defs $ref $schema additionalProperties allOf annotations anyOf const default definitions description enum examples format
  items maxItems maxLength maximum minItems minLength minimum not nullable oneOf pattern properties required title
  type`.split(/\s+/),
);
/** Several rules read the texts of the same tool. */
const cache = new WeakMap<DefinitionTexts, ReadTexts>();

/** Returns all distinct strings of a definition, both keys and values, outer ones first. */
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
  // `hasNames`: the keys of the value are parameter names.
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

/**
 * Extends a path by a key. A parameter name becomes a step, `items` and `additionalProperties` become `[]`, and other
 * keys add nothing.
 */
function placeOf(path: string, key: string, isName: boolean): string {
  if (isName) return (path === '' ? key : `${path}.${key}`).slice(0, MAX_PATH);
  return (key === 'items' || key === 'additionalProperties') && path !== '' ? `${path}[]`.slice(0, MAX_PATH) : path;
}
