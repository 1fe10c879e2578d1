import { postgresSource } from 'mastra-tool-search/postgres';
import { describe, expect, it } from 'vitest';
import { vectorSettingsOf } from '../../src/postgres/options.ts';

const embed = (texts: string[]): number[][] => texts.map(() => [1]);
const model = { provider: 'acme', modelId: 'small', doEmbed: async () => ({ embeddings: [[1]] }) };
const pool = { query: async () => ({ rows: [] }) };

describe('the option embed of postgresSource', () => {
  it('is an embedding model, which names itself, or options with one', () => {
    expect(vectorSettingsOf(model)).toMatchObject({
      model: 'acme/small',
      weight: 0.15,
      minSimilarity: 0.2,
      timeout: 3_000,
    });
    expect(vectorSettingsOf({ embed: model, weight: 0.3 })).toMatchObject({ model: 'acme/small', weight: 0.3 });
    expect(vectorSettingsOf({ embed, model: 'mine', dimension: 3 })).toMatchObject({ model: 'mine', dimension: 3 });
  });

  it.each([
    { given: embed, says: '"embed" is a function alone' },
    { given: 'openai/small', says: '"embed" must be an embedding model' },
    { given: null, says: '"embed" must be an embedding model' },
    { given: {}, says: '"embed" must be a function' },
    { given: { embed }, says: '"embed.model" must be the name' },
    { given: { embed, model: 'm', dimension: 0 }, says: '"embed.dimension" must be a whole number' },
    { given: { embed, model: 'm', dimension: 4_001 }, says: '"embed.dimension" must be a whole number' },
    { given: { embed, model: 'm', weight: 1 }, says: '"embed.weight" must be a number above 0 and below 1' },
    { given: { embed, model: 'm', minSimilarity: 1 }, says: '"minSimilarity" must be' },
    { given: { embed, model: 'm', timeout: 0 }, says: '"embed.timeout" must be milliseconds' },
    { given: { embed, model: 'm', onFault: 'log' }, says: '"embed.onFault" must be a function' },
    { given: { embed, model: 'm', dimensions: 3 }, says: 'Did you mean "dimension"' },
  ])('is refused: $says', ({ given, says }) => {
    expect(() => postgresSource({ pool, toTool: () => ({ inputSchema: {} }), embed: given as never })).toThrow(says);
  });

  it('has a listener whose faults are not those of the search', async () => {
    const settings = { embed, model: 'm' };
    const throwing = () => {
      throw new Error('deaf');
    };
    vectorSettingsOf({ ...settings, onFault: throwing }).report(new Error('down'));
    vectorSettingsOf({ ...settings, onFault: async () => throwing() }).report(new Error('down'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
