import { RequestContext } from '@mastra/core/request-context';
import type { ToolSource } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { parseQuery } from '../../../src/query/query.ts';
import { bm25Scorer } from '../../../src/scorers/bm25/bm25.ts';
import { withoutBoilerplate } from '../../../src/scorers/bm25/sentences.ts';
import { settingsOf } from '../../../src/sources/postgres/options.ts';
import { readerOf } from '../../../src/sources/postgres/reader.ts';
import { type SyncedTools, writerOf } from '../../../src/sources/postgres/writer.ts';
import { describeToolSource } from '../../catalog/tool-source-contract.ts';
import { catalog } from '../../fixtures/tools.ts';
import { atOnce } from '../../scorers/at-once.ts';
import { tool } from '../../support/harness.ts';
import { type Database, describeDatabases } from './databases.ts';

/** A source whose tenant stands in the context of a request. */
interface Source extends ToolSource {
  fill(tools: SyncedTools, tenant: string): Promise<void>;
}

async function sourceIn(database: Database, table: string = database.freshTable()): Promise<Source> {
  const settings = settingsOf({
    pool: database.pool,
    table,
    tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
    toTool: ({ name, description, group }) => ({
      ...tool(name, description),
      ...(group ? { mcpMetadata: { serverName: group } } : {}),
    }),
  });
  const [reader, writer] = [readerOf(settings), writerOf(settings)];
  await writer.migrate();
  return {
    ...reader,
    fill: async (tools, tenant) => {
      await writer.sync(tools, { tenant });
      reader.forget();
    },
  };
}

const requestOf = (tenant: string): { requestContext: RequestContext } => {
  const requestContext = new RequestContext();
  requestContext.set('tenant', tenant);
  return { requestContext };
};

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
    await source.fill(documents.map(asDefinition), 'a');
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

function asDefinition({ name, description, title, server, keywords, parameters }: (typeof catalog)[number]) {
  return {
    ...{ name, description, keywords },
    ...(title === '' ? {} : { title }),
    ...(server === '' ? {} : { group: server }),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map(({ name: key, description: about, values }) => [
          key,
          { type: 'string', description: about, ...(values.length > 0 ? { enum: values } : {}) },
        ]),
      ),
    },
  };
}
