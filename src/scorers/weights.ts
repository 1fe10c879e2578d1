import { checkOption, invalidOption } from '../errors.ts';
import { isRecord } from '../util/record.ts';
import { didYouMean, likeliestNames } from '../util/suggest.ts';

/**
 * @throws ToolSearchError `invalid-option` unless `weights` is undefined or an object of finite numbers of at least 0.
 */
export function checkWeights(option: string, weights: unknown): void {
  if (weights === undefined) return;
  checkOption(isRecord(weights), option, weights, 'an object of numbers');
  for (const [name, weight] of Object.entries(weights as object)) {
    const isWeight = typeof weight === 'number' && Number.isFinite(weight) && weight >= 0;
    checkOption(isWeight, `${option}.${name}`, weight, 'a number of at least 0');
  }
}

/**
 * @throws ToolSearchError `invalid-option` unless `list` has at least one of `names` and nothing else. The message
 * suggests a name for a misspelled one.
 */
export function checkSome(option: string, list: unknown, names: readonly string[]): void {
  const isList = Array.isArray(list) && list.length > 0;
  checkOption(isList, option, list, `a list of some of ${names.join(', ')}`);
  for (const [place, name] of (list as unknown[]).entries()) {
    if (names.includes(name as string)) continue;
    const meant = typeof name === 'string' ? likeliestNames(name, names) : [];
    throw invalidOption(`${option}[${place}]`, name, `one of ${names.join(', ')}`, didYouMean(meant));
  }
}
