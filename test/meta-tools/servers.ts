import type { MastraTool } from 'mastra-tool-search';
import { tool, toolRecord, weather } from '../support/agent.ts';

/** Tools of an MCP server. */
export const ofServer = (serverName: unknown, ...names: string[]): MastraTool[] =>
  names.map((name) => Object.assign(tool(name), { mcpMetadata: { serverName } }) as MastraTool);

/** Two servers: one whose tools begin with its name, and one whose tools do not. */
export const servers = (): Record<string, MastraTool> =>
  toolRecord(
    ...ofServer('github', 'github_create_issue', 'github_merge'),
    ...ofServer('Team Chat', 'post_message', 'list_rooms'),
    weather(),
  );
