import type { SearchedCase } from '../../../workbench/evaluate/measure.ts';
import type { MatrixCell } from './matrix.ts';

/** The cases of a field of the matrix; with `groupOf`, of one between servers. */
export function casesOf(
  { wanted, instead }: Pick<MatrixCell, 'wanted' | 'instead'>,
  searched: readonly SearchedCase[],
  groupOf: (name: string) => string,
): readonly SearchedCase[] {
  return searched.filter(
    ({ miss }) =>
      miss &&
      groupOf(miss.wanted) === wanted &&
      (miss.instead === undefined ? undefined : groupOf(miss.instead)) === instead,
  );
}
