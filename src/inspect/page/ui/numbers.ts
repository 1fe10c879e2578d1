/** Whole numbers with separators: 12,345. */
export function numberText(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share from 0 to 1 in percent; small ones with a digit behind the point. */
export function percentText(share: number): string {
  const percent = 100 * share;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** A count with its noun: 1 case, 2 cases. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** A score or a weight, in the digits that tell it from others. */
export function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
