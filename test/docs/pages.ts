import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** Every page of the repository, by its path. `npm run docs:api` writes others, which are no part of it. */
export const pages: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'llms.txt',
  ...globSync('docs/*.md', { cwd: fileURLToPath(root) }).map((page) => page.replaceAll('\\', '/')),
].sort();

export function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** A fenced block of code. */
export interface CodeBlock {
  readonly page: string;
  /** The line of its fence, counted from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Whether the comment `<!-- continues -->` stands right above it: it goes on where the last block of its language ended. */
  readonly continues: boolean;
}

/** The blocks of a page, in order. */
export function codeBlocks(page: string, text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(\s*)(```+)(\S*)/.exec(lines[at] ?? '');
    if (!fence) continue;
    const [, indent = '', ticks = '', language = ''] = fence;
    const end = lines.findIndex((line, index) => index > at && line.trim() === ticks);
    if (end === -1) throw new Error(`${page}:${at + 1}: the block has no end`);
    const above = lines.slice(0, at).findLast((line) => line.trim() !== '');
    blocks.push({
      page,
      line: at + 1,
      language,
      code: lines
        .slice(at + 1, end)
        .map((line) => line.slice(indent.length))
        .join('\n'),
      continues: above?.trim() === '<!-- continues -->',
    });
    at = end;
  }
  return blocks;
}

/** The name of the file that a block shows, as its first line says it: `// tools.ts`. */
export function fileNameOf({ code }: CodeBlock): string | undefined {
  return /^\/\/ ([\w.-]+\.ts)$/m.exec(code.split('\n', 1)[0] ?? '')?.[1];
}

/** The text without code and comments, line by line, so that lines keep their numbers. */
export function prose(text: string): string {
  const blank = (match: string): string => match.replaceAll(/[^\n]/g, ' ');
  return text
    .replaceAll(/^(\s*)(```+)[\s\S]*?^\s*\2[ \t]*$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/`[^`\n]*`/g, blank);
}
