import { type LearningOptions, ToolSearchProcessor } from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';

const make = (learning: unknown) =>
  new ToolSearchProcessor({ tools: toolRecord(tool('get_weather')), learning: learning as LearningOptions });

describe('the option learning', () => {
  it.each([
    { learning: true },
    { learning: false },
    { learning: undefined },
    { learning: {} },
    { learning: { store: 'in-memory', halfLife: 1, scope: 'resource', weight: 1 } },
    { learning: { store: memoryLearningStore(), halfLife: Number.POSITIVE_INFINITY, scope: 'global', weight: 0.01 } },
    { learning: { scope: () => undefined } },
  ])('takes $learning', ({ learning }) => {
    expect(() => make(learning)).not.toThrow();
  });

  it.each([
    { learning: 'yes', option: 'learning', expected: 'true, false or an object' },
    { learning: [], option: 'learning', expected: 'true, false or an object' },
    { learning: null, option: 'learning', expected: 'true, false or an object' },
    { learning: { store: 'redis' }, option: 'learning.store', expected: `'in-memory' or a LearningStore` },
    { learning: { store: null }, option: 'learning.store', expected: `'in-memory' or a LearningStore` },
    { learning: { store: new Map() }, option: 'learning.store', expected: `'in-memory' or a LearningStore` },
    { learning: { halfLife: 0 }, option: 'learning.halfLife', expected: 'milliseconds above 0' },
    { learning: { halfLife: '30 days' }, option: 'learning.halfLife', expected: 'milliseconds above 0' },
    { learning: { halfLife: Number.NaN }, option: 'learning.halfLife', expected: 'milliseconds above 0' },
    { learning: { weight: 0 }, option: 'learning.weight', expected: 'above 0, up to 1' },
    { learning: { weight: 1.5 }, option: 'learning.weight', expected: 'above 0, up to 1' },
    { learning: { scope: 'thread' }, option: 'learning.scope', expected: `'resource', 'global' or a function` },
  ])('refuses $learning', ({ learning, option, expected }) => {
    expect(() => make(learning)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(`"${option}" must be`) }),
    );
    expect(() => make(learning)).toThrow(expected);
  });

  it('names an unknown setting, and what was probably meant', () => {
    expect(() => make({ halflife: 5 })).toThrow(/learning\.halflife.*learning\.halfLife/);
  });
});

describe('clearLearning()', () => {
  it('has nothing to forget where learning is off, and needs nobody where all learn together', async () => {
    await make(false).clearLearning('ann');
    await make({ scope: 'global' }).clearLearning();
  });

  it('does not say that it forgot where nobody is named', async () => {
    await expect(make(true).clearLearning()).rejects.toMatchObject({ code: 'invalid-option' });
    await expect(make(true).clearLearning({})).rejects.toMatchObject({ code: 'invalid-option' });
  });

  it('refuses an unknown setting', async () => {
    await expect(make(true).clearLearning({ resource: 'ann' } as never)).rejects.toThrow('resource');
  });
});
