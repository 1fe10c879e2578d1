import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { VectorCache } from '../../../src/entries/semantic.ts';

/** Vectors over several runs, in a text file: a line for each, the key and the numbers as base64 of 32-bit floats. */
export function vectorFile(file: string): VectorCache {
  let known: Map<string, string> | undefined;
  return {
    get(keys) {
      known ??= read(file);
      return keys.map((key) => decoded(known?.get(key)));
    },
    set(entries) {
      mkdirSync(path.dirname(file), { recursive: true });
      // The line break comes first, so that a line that was cut short spoils none but itself.
      appendFileSync(file, entries.map(({ key, vector }) => `\n${key} ${encoded(vector)}`).join(''));
      for (const { key, vector } of entries) known?.set(key, encoded(vector));
    },
  };
}

function read(file: string): Map<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return new Map(lines.map((line) => line.split(' ')).map(([key = '', vector = '']) => [key, vector]));
}

function encoded(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

function decoded(vector: string | undefined): Float32Array | undefined {
  const bytes = Buffer.from(vector ?? '', 'base64');
  return bytes.length === 0 ? undefined : new Float32Array(Uint8Array.from(bytes).buffer);
}
