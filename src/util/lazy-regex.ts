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

/** What has no letter beyond ASCII's. */
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
