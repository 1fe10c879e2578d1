import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeLearningStore, KEEP, usesOf } from './learning-store-contract.ts';

const newFolder = (): string => mkdtempSync(path.join(tmpdir(), 'learned-'));

function ownFolder(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describeLearningStore('fileLearningStore()', () => {
  const folder = newFolder();
  return {
    store: fileLearningStore({ folder: path.join(folder, 'made', 'when needed') }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
});

describe('fileLearningStore()', () => {
  it('keeps a scope over a restart, in a file without a letter of it, which goes when it is cleared', async () => {
    const folder = ownFolder();
    await fileLearningStore({ folder }).append('../user-1', { key: 'k', uses: usesOf('a', 'b') }, KEEP);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.jsonl$/)]);
    const store = fileLearningStore({ folder });
    expect(await store.read('../user-1')).toEqual({ key: 'k', uses: usesOf('a', 'b') });
    await store.clear('../user-1');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('passes over lines that cannot be read, as one that a crash has cut, and over a file that is none of its own', async () => {
    const folder = ownFolder();
    const store = fileLearningStore({ folder });
    await store.append('one', { key: 'k', uses: usesOf('a') }, KEEP);
    const file = path.join(folder, readdirSync(folder)[0] ?? '');
    appendFileSync(file, '\n{}\n[1]\nnull\n[17900000');
    await store.append('one', { key: 'k', uses: usesOf('b') }, KEEP);
    expect((await store.read('one'))?.uses.map(({ use }) => use)).toEqual(['a', 'b']);
    writeFileSync(file, 'something else');
    expect(await store.read('one')).toBeUndefined();
    expect(await store.append('one', { key: 'k2', uses: usesOf('b') }, KEEP)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('k2');
  });

  it('loses nothing where two stores of one folder append at once', async () => {
    const folder = ownFolder();
    const stores = [
      fileLearningStore({ folder }),
      fileLearningStore({ folder: path.join(folder, '..', path.basename(folder)) }),
    ];
    const names = Array.from({ length: 60 }, (_, n) => `u${n}`);
    const bounds = { ...KEEP, max: 25 };
    const taken = await Promise.all(
      names.map((use, n) => stores[n % 2]?.append('one', { key: 'k', uses: [{ use, usedAt: n + 1 }] }, bounds)),
    );
    expect(taken).toEqual(names.map(() => true));
    for (const store of stores) {
      const uses = (await store.read('one'))?.uses ?? [];
      expect(uses.slice(-25).map(({ use }) => use)).toEqual(names.slice(-25));
    }
    await Promise.all([stores[0]?.append('one', { key: 'k', uses: usesOf('late') }, bounds), stores[1]?.clear('one')]);
    expect(await stores[0]?.read('one')).toBeUndefined();
  });

  it('rejects where the folder cannot be made', async () => {
    const folder = ownFolder();
    writeFileSync(path.join(folder, 'file'), '');
    const store = fileLearningStore({ folder: path.join(folder, 'file', 'inside') });
    await expect(store.append('one', { key: 'k', uses: usesOf('a') }, KEEP)).rejects.toThrow();
    expect(existsSync(path.join(folder, 'file', 'inside'))).toBe(false);
  });

  it.each([
    { why: 'there are no options', options: undefined, message: /folder/ },
    { why: 'the folder is empty', options: { folder: '' }, message: /folder/ },
    { why: 'an option is unknown', options: { folder: 'x', path: 'y' }, message: /path/ },
  ])('throws when $why', ({ options, message }) => {
    expect(() => fileLearningStore(options as never)).toThrow(message);
  });
});
