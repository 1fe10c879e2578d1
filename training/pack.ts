// Writes the table of word vectors that the library loads, from the file that the training makes: node training/pack.ts TABLE.bin
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { WordTable } from '../src/scorers/meaning/word-table.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node training/pack.ts TABLE.bin');
const bytes = readFileSync(file);
// Throws where it is no such table.
const { dims } = new WordTable(bytes);
const target = fileURLToPath(new URL('../src/scorers/meaning/word-vectors.js', import.meta.url));
const text = [
  '// Written by training/pack.ts. LICENSES.md names what the table was made from.',
  `export const SHA256 = '${hash('sha256', bytes)}';`,
  `export const WORD_VECTORS = '${bytes.toString('base64')}';`,
];
writeFileSync(target, `${text.join('\n')}\n`);
console.log(`${target}: ${bytes.length} bytes, ${dims} numbers a word`);
