import { checkOption } from '../errors.ts';
import { isRecord } from '../util/record.ts';

/** @throws ToolSearchError `invalid-option` unless it is an object of finite numbers of at least 0, or undefined. */
export function checkWeights(option: string, weights: unknown): void {
  if (weights === undefined) return;
  checkOption(isRecord(weights), option, weights, 'an object of numbers');
  for (const [name, weight] of Object.entries(weights as object)) {
    const isWeight = typeof weight === 'number' && Number.isFinite(weight) && weight >= 0;
    checkOption(isWeight, `${option}.${name}`, weight, 'a number of at least 0');
  }
}
