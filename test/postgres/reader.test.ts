import { expect, it } from 'vitest';
import { bm25Scorer } from '../../src/scorers/bm25/bm25.ts';
import { withoutBoilerplate } from '../../src/scorers/bm25/tool-words.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { describeToolSource } from '../catalog/tool-source-contract.ts';
import { catalog } from '../fixtures/tools.ts';
import { atOnce } from '../scorers/at-once.ts';
import { describeDatabases } from './databases.ts';
import { definitionOf, requestOf, sourceIn } from './readers.ts';

describeDatabases('reading', (database) => {
  describeToolSource('the reader of postgresSource()', async () => {
    const source = await sourceIn(database);
    return {
      source,
      fill: (tools, tenant) => source.fill(tools, tenant),
      enter: (requestContext, tenant) => requestContext.set('tenant', tenant),
    };
  });

  it('ranks, scores and is as sure as the default scorer is over the same tools', async () => {
    const source = await sourceIn(database);
    const documents = atOnce(withoutBoilerplate(catalog));
    await source.fill(documents.map(definitionOf), 'a');
    const index = await bm25Scorer().index(documents);
    for (const text of QUERIES) {
      const query = parseQuery(text);
      const expected = (await index.search(query)).slice(0, 10);
      const found = await source.search(query, { ...requestOf('a'), limit: 10 });
      expect(found.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
      expect(found.map(({ score }) => score.toFixed(6))).toEqual(expected.map(({ score }) => score.toFixed(6)));
      const names = found.map(({ name }) => name);
      const confidences = (await index.confidence?.(query, names)) ?? [];
      expect(found.map(({ confidence = 0 }) => confidence.toFixed(3))).toEqual(
        confidences.map((confidence) => confidence.toFixed(3)),
      );
    }
  });
});

const QUERIES = [
  'get the weather',
  'open an issue on github',
  'send a message to a channel',
  'list pods of the cluster',
  'read file',
  'remove file',
];
