import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** The rooms of src, top floor first. A file imports from its own room and from those below it, type imports included. */
const ROOMS = [
  ...[
    'cli',
    'index.ts',
    'entries',
    'grading',
    'suggest-keywords',
    'processor',
    'inspect',
    'lint',
    'evaluate',
    'native',
    'call',
    'preselect',
    'learning',
    'meta-tools',
    'options',
    'mastra',
    'loaded',
    'request',
    'search',
  ],
  ...[
    'sources',
    'conversation',
    'scorers/bm25',
    'scorers',
    'scorers/thesaurus',
    'scorers/embeddings',
    'filter',
    'catalog',
  ],
  ...['observability', 'funnel', 'reporter.ts', 'log-lines.ts', 'events.ts', 'events', 'stores', 'known-options.ts'],
  ...['query', 'prompts.ts', 'phase.ts', 'util', 'errors.ts'],
];
const SRC = path.resolve('src');
const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.tsx?)'/g;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const imports = new Map(
  files.map((file) => {
    const specifiers = [...readFileSync(path.join(SRC, file), 'utf8').matchAll(IMPORT)];
    return [file, specifiers.map(([, specifier = '']) => path.join(path.dirname(file), specifier))];
  }),
);
const floorOf = (file: string): number => {
  const folder = path.dirname(file);
  return ROOMS.indexOf(ROOMS.includes(folder) ? folder : (file.split(path.sep)[0] ?? ''));
};

it('every room of src has a floor', () => {
  expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
});

it('every file of src imports from its own floor and lower ones', () => {
  const up = files.flatMap((file) =>
    (imports.get(file) ?? []).filter((other) => floorOf(other) < floorOf(file)).map((other) => `${file} → ${other}`),
  );
  expect(up).toEqual([]);
});

it('loads the code of native mode in one place, when it is first used', () => {
  const outside = files.filter((file) => !file.startsWith('native/'));
  const importsIn = (file: string): string[] =>
    readFileSync(path.join(SRC, file), 'utf8').match(/^(?!import type ).*(?:from|import\()\s*'[./]*\/native\/.*$/gm) ??
    [];
  const imports = outside.flatMap((file) => importsIn(file).map((line) => `${file}: ${line.trim()}`));
  expect(imports).toEqual(["processor/native-mode.ts: const { Native } = await import('../native/native.ts');"]);
});

it('loads the code that learns in one place, when it is set', () => {
  const outside = files.filter((file) => !file.startsWith('learning/'));
  const importing = outside.filter((file) =>
    /^(?!import type ).*(?:from|import\()\s*'[./]*\/learning\/.*$/m.test(readFileSync(path.join(SRC, file), 'utf8')),
  );
  expect(importing).toEqual(['processor/load-learning.ts']);
});

it('has no circle of imports', () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) for (const other of imports.get(file) ?? []) visit(other, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
