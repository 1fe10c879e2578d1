import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, prose, read } from './pages.ts';

interface Link {
  readonly line: number;
  readonly target: string;
}

/** Links in the text, those of images and references too. Those to other sites are not looked at. */
function linksOf(page: string): readonly Link[] {
  const text = prose(read(page));
  const found = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm)];
  return found
    .map((match) => ({ line: text.slice(0, match.index).split('\n').length, target: match[1] ?? match[2] ?? '' }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** The names by which GitHub and npm link to the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  const source = read(page);
  const own = [...source.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '');
  const visible = prose(source).split('\n');
  for (const [index, line] of source.split('\n').entries()) {
    if (!/^#{1,6} /.test(visible[index] ?? '')) continue;
    const text = line
      .replace(/^#+ /, '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('\\', '');
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return new Set([...anchors, ...own]);
}

function problemOf(page: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? page : path.posix.normalize(path.posix.join(path.posix.dirname(page), decodeURI(file)));
  if (!existsSync(to)) return `there is no ${to}`;
  if (anchor === undefined) return undefined;
  if (!statSync(to).isFile() || !to.endsWith('.md')) return `${to} has no anchors`;
  return anchorsOf(to).has(anchor) ? undefined : `${to} has no heading #${anchor}`;
}

describe('the documentation', () => {
  it.each(pages)('%s links to nothing that is not there', (page) => {
    const broken = linksOf(page).flatMap(({ line, target }) => {
      const problem = problemOf(page, target);
      return problem === undefined ? [] : [`${page}:${line}: ${target}: ${problem}`];
    });
    expect(broken).toEqual([]);
  });

  it('has no page that neither the README nor docs/README.md leads to', () => {
    const targets = (page: string): string[] =>
      linksOf(page).map(({ target }) =>
        path.posix.normalize(path.posix.join(path.posix.dirname(page), target.split('#')[0] ?? '')),
      );
    const linked = new Set([...targets('README.md'), ...targets('docs/README.md')]);
    const written = pages.filter((page) => !['README.md', 'llms.txt'].includes(page));
    expect(written.filter((page) => !linked.has(page))).toEqual([]);
  });

  it('is listed in llms.txt, page by page', () => {
    const listed = new Set(linksOf('llms.txt').map(({ target }) => target));
    const written = pages.filter((page) => page.startsWith('docs/'));
    expect(written.filter((page) => !listed.has(page))).toEqual([]);
  });

  it('has a README that is read in one sitting: 1,300 words at most', () => {
    expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(1_300);
  });
});
