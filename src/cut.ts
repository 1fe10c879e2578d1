/** The beginning of a text, at most so many UTF-16 units, never ending in half a character. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}
