import { existsSync, globSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pages, read } from './pages.ts';

const written = pages.filter((page) => page !== 'CHANGELOG.md');

/** What stands between backticks and in blocks of code, word by word. */
function wordsIn(page: string): readonly string[] {
  const code = read(page).match(/```[\s\S]*?```|`[^`\n]+`/g) ?? [];
  return code.flatMap((text) => text.replaceAll('`', '').split(/[\s(),;:'"]+/));
}

describe('what pages name is there:', () => {
  it.each(written)('the scripts of %s', (page) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(page).matchAll(/npm run ([\w:-]*\w)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it.each(written)('the files and folders of %s', (page) => {
    const isOfSource = (word: string): boolean => page === 'docs/architecture.md' && /^[\w-]+\/|\.ts$/.test(word);
    const missing = wordsIn(page).filter((word) => {
      // `npm run docs:api` writes the reference.
      if (/[<>*…]/.test(word) || word === 'docs/api') return false;
      if (/^(?:src|test|examples|docs)\//.test(word)) return !existsSync(word);
      return isOfSource(word) && !existsSync(`src/${word}`) && !existsSync(word);
    });
    expect(missing).toEqual([]);
  });

  it('every room of src, in docs/architecture.md', () => {
    const words = new Set(wordsIn('docs/architecture.md'));
    const rooms = readdirSync('src', { withFileTypes: true }).map((room) =>
      room.isDirectory() ? `${room.name}/` : room.name,
    );
    expect(rooms.filter((room) => !words.has(room))).toEqual([]);
  });

  it('every code of an error, in docs/events.md', () => {
    const codes = [...read('src/errors.ts').matchAll(/^\s+\| '([\w-]+)'/gm)].map((match) => match[1] ?? '');
    const words = new Set(wordsIn('docs/events.md'));
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !words.has(code))).toEqual([]);
  });

  it('every bench, in a page', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const all = written.map(read).join('\n');
    const benches = Object.keys(scripts).filter((name) => name.startsWith('bench:'));
    expect(benches.filter((name) => !all.includes(`npm run ${name}`))).toEqual([]);
  });

  it('every example, in a page', () => {
    const all = written.map(read).join('\n');
    const scripts = globSync('examples/*.ts').map((file) => file.replace(/^.*[\\/]|\.ts$/g, ''));
    expect(scripts.filter((name) => !all.includes(`example:${name}`) && name !== 'quick-start')).toEqual([]);
  });
});
