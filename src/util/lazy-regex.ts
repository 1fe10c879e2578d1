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
