/**
 * A regular expression that is made at its first use. Expressions with classes of Unicode (`\p{L}`) are written so: V8
 * gathers the tables of a literal's classes as it reads the module, which took most of the time of an import.
 *
 * @param source - in `String.raw`, as it would stand between slashes.
 */
export function lazyRegex(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source, flags);
    return made;
  };
}

const ASCII = /^[\0-\x7f]*$/;
const IN_ASCII: Readonly<Record<string, string>> = { L: 'A-Za-z', M: '', N: '0-9' };

/**
 * Returns a function that chooses an expression for a text. ASCII texts, the most frequent, get an expression without
 * Unicode classes: V8 needs a part of a millisecond to gather each class, which would delay the first search.
 *
 * @param source - with `\p{L}`, `\p{M}` and `\p{N}` in brackets only.
 */
export function regexFor(source: string, flags: string): (text: string) => RegExp {
  const ascii = lazyRegex(
    source.replace(/\\p\{(\w)\}/g, (_, kind: string) => IN_ASCII[kind] ?? ''),
    flags,
  );
  const any = lazyRegex(source, flags);
  return (text) => (ASCII.test(text) ? ascii() : any());
}

export const LETTER_OR_DIGIT: (text: string) => RegExp = regexFor(String.raw`[\p{L}\p{N}]`, 'u');

/** Limit of a name or query of the model that a result repeats, in characters. */
const MAX_ECHO = 64;
/** Limit of a tool name in a prompt, in characters. */
const MAX_NAME = 128;
/** Limit of a description in results and in the injected catalog, in characters; the same as in @mastra/core. */
export const MAX_DESCRIPTION = 150;
/** Whole sentences shorter than this, in characters, say too little about a tool. */
const MIN_SENTENCE = 40;

/**
 * Characters that a person does not see but a model reads: zero-width and bidirectional marks, tag characters,
 * variation selectors, annotation marks, lone surrogates. Removing them splits a joined emoji into its parts.
 */
const INVISIBLE = lazyRegex(String.raw`[\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb]+`, 'gu');
/** Printable ASCII alone. Such a text, the most frequent, skips the Unicode expressions. */
const PLAIN = /^[ -~]*$/;
/** Control characters, line breaks among them. */
const BREAKS = lazyRegex(String.raw`[\p{Control}\u2028\u2029]+`, 'gu');

/** Cuts a text to at most so many UTF-16 units, but never within a surrogate pair. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * Returns the text up to the last character that matches. Empty if none does. Reads from the end in linear time; a
 * regular expression would try every position.
 */
export function upToLast(text: string, kept: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, end - 2), end));
    const start = end - (isPair ? 2 : 1);
    if (kept.test(text.slice(start, end))) return text.slice(0, end);
    end = start;
  }
  return '';
}

/** Makes an untrusted text safe for a prompt: one line of bounded length, of whole and visible characters. */
export function clean(text: string, maxLength: number): string {
  // A huge text is bounded first, so that it costs little.
  const start = cut(text, maxLength * 20);
  const line = (PLAIN.test(start) ? start : start.replace(INVISIBLE(), '').replace(BREAKS(), ' ')).trim();
  if (line.length <= maxLength && start.length === text.length) return line;
  return `${cut(line, maxLength - 3)}...`;
}

/** Ends a text with a period, unless it has a closing mark, so that another sentence can follow. */
export function ended(text: string): string {
  const trimmed = text.trimEnd();
  return '.!?…'.includes(trimmed.at(-1) ?? '.') ? trimmed : `${trimmed}.`;
}

/** Escapes invisible characters and angle brackets in a JSON text as `\u…`, so that it cannot close an HTML tag. */
export function escapeHidden(json: string): string {
  const escaped = (part: string): string =>
    part
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  return json.replace(INVISIBLE(), escaped).replace(BREAKS(), escaped).replace(/[<>]/g, escaped);
}

/** Cleans and cuts a description for results and for the injected catalog. */
export function describeTool(description: string): string {
  return clean(description, MAX_DESCRIPTION);
}

/**
 * Shortens a description that was cut within a sentence to its whole sentences.
 *
 * @param shown - a result of {@link describeTool}.
 */
export function describeBriefly(shown: string): string {
  if (shown.length < MAX_DESCRIPTION - 1 || !shown.endsWith('...')) return shown;
  for (let end = shown.length - 4; end > MIN_SENTENCE; end--) {
    const next = shown
      .slice(end + 1)
      .trimStart()
      .charAt(0);
    const isEnd = '.!?'.includes(shown.charAt(end)) && shown.charAt(end + 1) === ' ' && shown.charAt(end - 2) !== '.';
    // The end of a sentence is neither "vs. others" nor "e.g. Others".
    if (isEnd && next === next.toUpperCase()) return shown.slice(0, end + 1);
  }
  return shown;
}

/** Cleans and cuts a text of the model or a client for a result. Such a text must not stand in a system message. */
export function echo(text: string): string {
  return clean(text, MAX_ECHO);
}

/** Cleans and cuts a tool name for a prompt. The tool names of a request are untrusted. */
export function cleanName(name: string): string {
  return clean(name, MAX_NAME);
}

/** Returns the FNV-1a hash of a text. `before` is the hash of the text before it, to hash both as one. */
export function hashed(text: string, before: number = 0x811c9dc5 | 0): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
