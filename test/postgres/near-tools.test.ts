import { postgresSource } from 'mastra-tool-search/postgres';
import { describe, expect, it, vi } from 'vitest';
import { bagOfWords } from '../semantic/embeddings/embedders.ts';
import { byWords, foundBy, toTool, vectorDatabase } from './embedded-sources.ts';

const tools = [
  { name: 'send_email', description: 'Send an email message.' },
  { name: 'get_weather', description: 'Weather of a city.' },
];

describe('the nearest tools', () => {
  const database = vectorDatabase();

  /** A source whose embedder does what the test says, over tools whose vectors are there. */
  async function sourceWith(embed: (texts: string[], purpose: string) => Promise<number[][]>, timeout = 3_000) {
    const faults: unknown[] = [];
    const filler = database.source();
    await filler.migrate();
    await filler.sync(tools);
    const onFault = (error: unknown): void => void faults.push(error);
    const options = { ...byWords, embed, timeout, onFault };
    return { faults, source: postgresSource({ pool: database.pool, table: database.table, toTool, embed: options }) };
  }

  it('do not matter where the embedder fails: words answer, the fault is told, and it rests', async () => {
    const embed = vi.fn(() => Promise.reject(new Error('429 Too Many Requests')));
    const { source, faults } = await sourceWith(embed);
    expect(await foundBy(source, 'weather')).toEqual(['get_weather']);
    expect(await foundBy(source, 'weather')).toEqual(['get_weather']);
    expect(faults).toEqual([new Error('429 Too Many Requests')]);
    expect(embed).toHaveBeenCalledTimes(1);
  });

  it('are not waited for beyond their time', async () => {
    const { source, faults } = await sourceWith(() => new Promise(() => {}), 50);
    expect(await foundBy(source, 'weather')).toEqual(['get_weather']);
    expect(faults).toEqual([new Error('it took longer than 50 ms')]);
  });

  it('do not matter where a vector has no direction, or another length than the table', async () => {
    for (const vector of [[0, 0], [1, 2, 3], [Number.NaN]]) {
      const { source, faults } = await sourceWith(async (texts) => texts.map(() => vector));
      expect(await foundBy(source, 'weather')).toEqual(['get_weather']);
      expect(faults).toHaveLength(1);
    }
  });

  it('say in the console what went wrong where nobody listens', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const filler = database.source();
    await filler.migrate();
    await filler.sync(tools);
    const embed = { ...byWords, embed: () => Promise.reject(new Error('down')) };
    const source = postgresSource({ pool: database.pool, table: database.table, toTool, embed });
    expect(await foundBy(source, 'email')).toEqual(['send_email']);
    expect(warn).toHaveBeenCalledWith('[tool-search] postgresSource() searched without vectors: down');
    warn.mockRestore();
  });

  it('are those of the model that asks: vectors of another one are not compared', async () => {
    const source = database.source({ ...byWords, model: 'new' });
    await source.migrate();
    const old = postgresSource({ pool: database.pool, table: database.table, toTool, embed: byWords });
    await old.sync([{ name: 'alpha', description: 'Zebra quokka.' }]);
    // No word of the query is in a tool: what is found is found by its vector.
    const turned = {
      ...byWords,
      embed: (texts: string[]) => texts.map((text) => bagOfWords(text === 'tapir' ? 'quokka' : text)),
    };
    const asOld = postgresSource({ pool: database.pool, table: database.table, toTool, embed: turned });
    const asNew = postgresSource({
      pool: database.pool,
      table: database.table,
      toTool,
      embed: { ...turned, model: 'new' },
    });
    expect(await foundBy(asOld, 'tapir')).toEqual(['alpha']);
    expect(await foundBy(asNew, 'tapir')).toEqual([]);
    expect(await source.sync([{ name: 'alpha', description: 'Zebra quokka.' }])).toMatchObject({
      unchanged: 1,
      embedded: 1,
    });
    expect(await foundBy(asNew, 'tapir')).toEqual(['alpha']);
    expect(await foundBy(asOld, 'tapir')).toEqual([]);
  });

  it('of a large tenant come from the index, those of a small one from all of its vectors', async () => {
    const dimension = 8;
    /** Tools with the same words, whose vectors are spread over the circle. */
    const vectorOf = (text: string): number[] => {
      const angle = Number(text.match(/\d+/)?.[0] ?? 0) / 2_000;
      return [Math.cos(angle), Math.sin(angle), ...new Array<number>(dimension - 2).fill(0.01)];
    };
    const source = database.source(
      { embed: (texts) => texts.map(vectorOf), model: 'circle', dimension },
      { tenant: ({ requestContext }) => String(requestContext?.get('tenant')) },
    );
    await source.migrate();
    const many = (count: number, step: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `t${at * step}`, description: 'Nothing.' }));
    await source.sync(many(10_500, 1), { tenant: 'large' });
    await source.sync(many(105, 100), { tenant: 'small' });
    const nearest = async (tenant: string) => {
      const { RequestContext } = await import('@mastra/core/request-context');
      const requestContext = new RequestContext([['tenant', tenant]] as never);
      const query = { text: 'q 5000', keywords: ['q', '5000'], required: [] };
      return (await source.search(query, { limit: 20, requestContext })).map(({ name }) => Number(name.slice(1)));
    };
    const [large, small] = [await nearest('large'), await nearest('small')];
    expect(large).toHaveLength(20);
    expect(Math.max(...large.map((at) => Math.abs(at - 5_000)))).toBeLessThan(50);
    expect(small.slice(0, 5).toSorted((one, other) => one - other)).toEqual([4_800, 4_900, 5_000, 5_100, 5_200]);
    expect(await database.rows(`SELECT current_setting('hnsw.ef_search') AS ef`)).toEqual([{ ef: '40' }]);
  });
});
