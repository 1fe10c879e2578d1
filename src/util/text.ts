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

/** A text of ASCII characters alone. */
const ASCII = /^[\0-\x7f]*$/;
const IN_ASCII: Readonly<Record<string, string>> = { L: 'A-Za-z', M: '', N: '0-9' };

/**
 * An expression for a text. Where the text is plain ASCII, as most are, it is one without Unicode's tables: each of these
 * takes a part of a millisecond to gather, which a first search would spend.
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

/** Characters of a name or query that the model wrote, where a result repeats it. */
const MAX_ECHO = 64;
/** Characters of a tool's name in a prompt. */
const MAX_NAME = 128;
/** Characters of a description in results and in the injected catalog, as in @mastra/core. */
export const MAX_DESCRIPTION = 150;
/** Characters of sentences that say enough of a tool. */
const MIN_SENTENCE = 40;

/**
 * Characters that a person does not see but a model reads: zero-width and bidirectional marks, tag characters, variation
 * selectors, annotation marks, halves of surrogate pairs. Without them, joined emoji fall apart into their parts.
 */
const INVISIBLE = lazyRegex(String.raw`[\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb]+`, 'gu');
/** Printable ASCII alone, as most texts are: such a text skips the Unicode expressions. */
const PLAIN = /^[ -~]*$/;
/** Control characters, line breaks among them. */
const BREAKS = lazyRegex(String.raw`[\p{Control}\u2028\u2029]+`, 'gu');

/** The beginning of a text: at most so many UTF-16 units, and no half character at its end. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * The text up to the last character that matches; empty where none does. It looks from the end, in linear time: a regular
 * expression for the end of a text is tried at every place before it.
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

/** A text from outside, made safe for a prompt: one line of bounded length, of whole and visible characters. */
export function clean(text: string, maxLength: number): string {
  // A huge text is bounded first, so that it costs little.
  const start = cut(text, maxLength * 20);
  const line = (PLAIN.test(start) ? start : start.replace(INVISIBLE(), '').replace(BREAKS(), ' ')).trim();
  if (line.length <= maxLength && start.length === text.length) return line;
  return `${cut(line, maxLength - 3)}...`;
}

/** A text as a sentence, as of an error that another sentence follows: with a period, unless it ends with a mark of its own. */
export function ended(text: string): string {
  const trimmed = text.trimEnd();
  return '.!?…'.includes(trimmed.at(-1) ?? '.') ? trimmed : `${trimmed}.`;
}

/** A JSON text with `\u` escapes in place of what is not seen, and of what could close a tag. */
export function escapeHidden(json: string): string {
  const escaped = (part: string): string =>
    part
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  return json.replace(INVISIBLE(), escaped).replace(BREAKS(), escaped).replace(/[<>]/g, escaped);
}

/** A tool's description, as results and the injected catalog show it. */
export function describeTool(description: string): string {
  return clean(description, MAX_DESCRIPTION);
}

/**
 * A description up to its last whole sentence where it is cut within one.
 *
 * @param shown - as {@link describeTool} gives it.
 */
export function describeBriefly(shown: string): string {
  if (shown.length < MAX_DESCRIPTION - 1 || !shown.endsWith('...')) return shown;
  for (let end = shown.length - 4; end > MIN_SENTENCE; end--) {
    const next = shown
      .slice(end + 1)
      .trimStart()
      .charAt(0);
    const isEnd = '.!?'.includes(shown.charAt(end)) && shown.charAt(end + 1) === ' ' && shown.charAt(end - 2) !== '.';
    // Not "vs. others", and not "e.g. Others".
    if (isEnd && next === next.toUpperCase()) return shown.slice(0, end + 1);
  }
  return shown;
}

/** A text that the model or a client wrote, as results repeat it. Never for system text. */
export function echo(text: string): string {
  return clean(text, MAX_ECHO);
}

/** A tool's name in a prompt. The names of a request's tools come from anywhere. */
export function cleanName(name: string): string {
  return clean(name, MAX_NAME);
}

/** The FNV-1a hash of a text, going on from that of the text before it. */
export function hashed(text: string, before: number = 0x811c9dc5 | 0): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
