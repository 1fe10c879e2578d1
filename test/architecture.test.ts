import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SRC = path.resolve('src');
const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.tsx?)'/g;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const imports = new Map(
  files.map((file) => {
    const specifiers = [...readFileSync(path.join(SRC, file), 'utf8').matchAll(IMPORT)];
    return [file, specifiers.map(([, specifier = '']) => path.join(path.dirname(file), specifier))];
  }),
);

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
