/**
 * Returns JSON that is safe in a script element: escapes `<`, which could close the element, and the line separators
 * U+2028 and U+2029.
 */
export function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replace(/[<\u2028\u2029]/g, escaped);
}

/** Escapes a text for HTML. */
export function textInHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
