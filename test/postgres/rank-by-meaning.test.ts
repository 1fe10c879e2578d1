import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { bm25Scorer } from '../../src/scorers/bm25/bm25.ts';
import { withoutBoilerplate } from '../../src/scorers/bm25/tool-words.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { describeToolSource } from '../catalog/tool-source-contract.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { atOnce } from '../scorers/at-once.ts';
import { bagOfWords, MODEL, modelEmbed } from '../semantic/embeddings/embedders.ts';
import { byWords, foundBy, vectorDatabase } from './embedded-sources.ts';
import { definitionOf } from './readers.ts';

describe('postgresSource() with vectors', () => {
  const database = vectorDatabase();

  describeToolSource('postgresSource() with vectors', async () => {
    const source = database.source(byWords, {
      tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
    });
    await source.migrate();
    return {
      source,
      fill: async (tools, tenant) => void (await source.sync(tools, { tenant })),
      enter: (requestContext, tenant) => requestContext.set('tenant', tenant),
    };
  });

  it('finds by a real model what shares no word with the query', async () => {
    const source = database.source({ embed: modelEmbed, model: MODEL });
    await source.migrate();
    await source.sync(catalog.map(definitionOf));
    for (const [query, name] of [
      ['umbrella needed', 'get-weather-forecast'],
      ['how hot is it outside', 'get-current-weather'],
      ['reboot the machine', 'restart_server'],
    ] as const) {
      expect((await foundBy(source, query)).slice(0, 3)).toContain(name);
    }
    expect((await foundBy(source, 'restart_server'))[0]).toBe('restart_server');
  });

  it('ranks, scores and is as sure as hybridScorer() is over the same tools', async () => {
    const source = database.source(byWords);
    await source.migrate();
    const documents = atOnce(withoutBoilerplate(catalog));
    await source.sync(documents.map(definitionOf));
    const semantic = semanticScorer({ embed: (texts) => texts.map(bagOfWords), minSimilarity: 0 });
    const index = await hybridScorer([bm25Scorer(), semantic]).index(documents);
    for (const text of [
      'get the weather',
      'send a message to a channel',
      'read file',
      'list +pods',
      'send_email',
      'xylophone',
    ]) {
      const query = parseQuery(text);
      const expected = await index.search(query);
      const found = await source.search(query, { limit: 1_000 });
      // The database counts with other digits: what is equal here may differ there by very little.
      const ranked = (matches: readonly { name: string; score: number }[]) =>
        matches.map(({ name, score }) => `${score.toFixed(3)} ${name}`).sort();
      expect(ranked(found)).toEqual(ranked(expected));
      const sure =
        (await index.confidence?.(
          query,
          expected.map(({ name }) => name),
        )) ?? [];
      expect(found.map(({ confidence = 0 }) => confidence.toFixed(3))).toEqual(sure.map((each) => each.toFixed(3)));
    }
  });

  it('answers with the beginning of a longer answer, also behind the 200 that it ranks', async () => {
    const source = database.source(byWords);
    await source.migrate();
    const herons = Array.from({ length: 400 }, (_, at) =>
      document(`heron_${at}`, `Feeds the heron of pond ${at % 7}.`),
    );
    const others = Array.from({ length: 150 }, (_, at) => document(`pool_${at}`, `Cleans the pool ${at}.`));
    await source.sync([...herons, ...others].map(definitionOf));
    const search = async (limit: number) =>
      (await source.search(parseQuery('feed heron'), { limit })).map(({ name, score }) => [name, score]);
    const all = await search(1_000);
    expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(400);
    for (const limit of [1, 50, 199, 201, 250, 399]) expect(await search(limit)).toEqual(all.slice(0, limit));
  });
});
