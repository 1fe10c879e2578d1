import { type LearningOptions, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';

const make = (learning: unknown) =>
  new ToolSearchProcessor({ tools: toolRecord(tool('get_weather')), learning: learning as LearningOptions });

describe('the option learning', () => {
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
