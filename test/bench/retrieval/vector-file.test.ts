import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { vectorFile } from './vector-file.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vector-file-'));
  file = path.join(folder, 'cache', 'vectors.txt');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps vectors over runs', async () => {
  const first = vectorFile(file);
  expect(await first.get(['a'])).toEqual([undefined]);
  await first.set([{ key: 'a', vector: [0.5, -2] }]);
  await first.set([{ key: 'b', vector: [3] }]);
  for (const cache of [first, vectorFile(file)]) {
    expect(await cache.get(['b', 'none', 'a'])).toEqual([Float32Array.of(3), undefined, Float32Array.of(0.5, -2)]);
  }
});

it('loses no other line by one that was cut short', async () => {
  await vectorFile(file).set([{ key: 'a', vector: [1] }]);
  appendFileSync(file, '\nb');
  await vectorFile(file).set([{ key: 'c', vector: [2] }]);
  expect(await vectorFile(file).get(['a', 'b', 'c'])).toEqual([Float32Array.of(1), undefined, Float32Array.of(2)]);
});
