import { RequestContext } from '@mastra/core/request-context';
import type { ToolSource } from 'mastra-tool-search';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { sourceSettings } from '../../src/postgres/options.ts';
import { readerOf } from '../../src/postgres/reader.ts';
import type { ToolDefinition } from '../../src/postgres/stored-tool.ts';
import { type SyncedTools, writerOf } from '../../src/postgres/writer.ts';
import { tool } from '../support/harness.ts';
import type { Database } from './databases.ts';

/** A source whose tenant stands in the context of a request. */
export interface FilledSource extends ToolSource {
  fill(tools: SyncedTools, tenant: string): Promise<void>;
}

export async function sourceIn(database: Database, table: string = database.freshTable()): Promise<FilledSource> {
  const settings = sourceSettings({
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

/** A request of a tenant. */
export const requestOf = (tenant: string): { requestContext: RequestContext } => {
  const requestContext = new RequestContext();
  requestContext.set('tenant', tenant);
  return { requestContext };
};

/** The definition that is read as the document. */
export function definitionOf({ name, description, title, server, keywords, parameters }: ToolDocument): ToolDefinition {
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
