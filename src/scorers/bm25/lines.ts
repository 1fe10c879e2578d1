/** The lines of a text in UTF-8, each ended by a line break. */
export function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split('\n').slice(0, -1);
}

/** A text in UTF-8, of lines that each end with a line break. */
export function linesAsBytes(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
}
