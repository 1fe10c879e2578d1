import { RequestContext } from '@mastra/core/request-context';
import type { ToolSource } from 'mastra-tool-search';
import { postgresSource, type SyncedTools, type ToolDefinition } from 'mastra-tool-search/postgres';
import type { ToolDocument } from '../../src/catalog/document.ts';
import { tool } from '../support/harness.ts';
import type { Database } from './databases.ts';

/** A source whose tenant stands in the context of a request. */
export interface FilledSource extends ToolSource {
  fill(tools: SyncedTools, tenant: string): Promise<void>;
}

export async function sourceIn(database: Database, table: string = database.freshTable()): Promise<FilledSource> {
  const source = postgresSource({
    pool: database.pool,
    table,
    tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
    toTool: ({ name, description, group }) => ({
      ...tool(name, description),
      ...(group ? { mcpMetadata: { serverName: group } } : {}),
    }),
  });
  await source.migrate();
  return { ...source, fill: async (tools, tenant) => void (await source.sync(tools, { tenant })) };
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
