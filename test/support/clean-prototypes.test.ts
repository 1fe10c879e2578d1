import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prototypeChanges, prototypeFields } from './clean-prototypes.ts';

it('what is left on a prototype is found: a field that is new, changed or gone', () => {
  const before = prototypeFields();
  expect(prototypeChanges(before)).toEqual([]);
  const original = Object.prototype.toLocaleString;
  const polluted = Object.prototype as unknown as Record<string, unknown>;
  try {
    polluted['city'] = 'Rome';
    expect(prototypeChanges(before)).toEqual(['Object.prototype.city']);
    delete polluted['city'];
    Object.defineProperty(Object.prototype, 'toLocaleString', { value: () => '', configurable: true, writable: true });
    expect(prototypeChanges(before)).toEqual(['Object.prototype.toLocaleString']);
  } finally {
    delete polluted['city'];
    Object.defineProperty(Object.prototype, 'toLocaleString', {
      value: original,
      configurable: true,
      writable: true,
    });
  }
  expect(prototypeChanges(before)).toEqual([]);
});

it('every contract suite looks for it', () => {
  const suites = globSync('test/**/*-contract.ts').filter((file) => !file.endsWith('change-contract.ts'));
  expect(suites.length).toBeGreaterThan(4);
  for (const file of suites) expect(readFileSync(file, 'utf8'), file).toContain('leavesPrototypesClean();');
});
