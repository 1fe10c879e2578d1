/** The beginning of a text, at most so many UTF-16 units, never ending in half a character. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * The text up to the last character that matches; empty where none does. Looks from the end: a pattern for what stands at
 * the end is tried at every place before it, which takes quadratic time.
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
