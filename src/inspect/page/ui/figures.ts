/** A share from 0 to 1 in hundredths. */
export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** A score or a weight, in the digits that tell it from others. */
export function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
