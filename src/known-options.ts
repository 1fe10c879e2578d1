import { invalidOption, ToolSearchError } from './errors.ts';
import { similarNames } from './query/suggest.ts';
import { isRecord } from './util/record.ts';
import { runToEnd } from './util/time-slices.ts';

/** The names of the options that an object may have, with those of the objects inside it. */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
}

/** The names of a type's options: `{ … } satisfies NamesOf<Options>` compiles only with all of them and no other. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true | OptionNames>>;

/** Paths that an unknown name may stand for. */
const MAX_SUGGESTIONS = 3;

/**
 * Refuses unknown options, at every level: a misspelt option would otherwise do nothing. An undefined option counts as
 * absent; inherited ones are not looked at.
 *
 * @param owner - the class or function that the options are given to.
 * @throws ToolSearchError `invalid-option`, with the option that was probably meant.
 */
export function refuseUnknownOptions(owner: string, options: unknown, known: OptionNames): void {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object');
  refuseUnknownIn(options, known, '', (name, level, path) => {
    const meant = pathsMeant(name, path, known);
    const remedy =
      meant.length > 0
        ? `Did you mean ${meant.map((other) => `"${other}"`).join(', ')}?`
        : `There are only ${Object.keys(level).join(', ')}.`;
    return new ToolSearchError('invalid-option', `"${path}${name.slice(0, 100)}" is no option of ${owner}. ${remedy}`);
  });
}

function refuseUnknownIn(
  options: object,
  known: OptionNames,
  path: string,
  errorOf: (name: string, level: OptionNames, path: string) => ToolSearchError,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) throw errorOf(name, known, path);
    const inner = known[name];
    if (typeof inner === 'object' && isRecord(value)) {
      refuseUnknownIn(value, inner, `${path}${name}.`, errorOf);
    }
  }
}

/** The options that were probably meant. A right name often stands at the wrong level, so all levels count. */
function pathsMeant(name: string, path: string, known: OptionNames): readonly string[] {
  const paths = new Map<string, string[]>();
  for (const [other, parent] of namesIn(known, '')) {
    paths.set(other, [...(paths.get(other) ?? []), `${parent}${other}`]);
  }
  const [similar = []] = runToEnd(similarNames(name, paths.keys()));
  const here = similar.map((other) => `${path}${other}`).filter((meant) => [...paths.values()].flat().includes(meant));
  const meant = here.length > 0 ? here : similar.flatMap((other) => paths.get(other) ?? []);
  return meant.slice(0, MAX_SUGGESTIONS);
}

function* namesIn(known: OptionNames, path: string): Iterable<readonly [name: string, path: string]> {
  for (const [name, inner] of Object.entries(known)) {
    yield [name, path];
    if (inner !== true) yield* namesIn(inner, `${path}${name}.`);
  }
}
