// An agent over a workspace of three skills. A skill that the model activates loads the tools that it names.
import path from 'node:path';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { LocalFilesystem, Workspace } from '@mastra/core/workspace';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { z } from 'zod';

/** A tool as Mastra's MCP client gives it: with the name of its server, which stands before its own. */
const shopTool = (id: string, description: string): MastraTool =>
  createTool({
    id,
    description,
    inputSchema: z.object({ id: z.string().optional() }),
    execute: async ({ id: of }: { id?: string }) => ({ done: id, of }),
    mcpMetadata: { serverName: id.split('_')[0] ?? '' },
  } as never) as MastraTool;

/** The tools of a shop, as its MCP server names them. */
export const tools: Record<string, MastraTool> = Object.fromEntries(
  [
    shopTool('shop_get_order', 'Get an order by its number.'),
    shopTool('shop_list_orders', 'List the orders of a time.'),
    shopTool('shop_refund_payment', 'Pay the amount of an order back.'),
    shopTool('mail_send_email', 'Send an email.'),
    shopTool('docs_create_document', 'Create a document.'),
    shopTool('crm_create_account', 'Create an account of a customer.'),
    shopTool('calendar_schedule_meeting', 'Schedule a meeting.'),
    shopTool('weather_get_forecast', 'Get the forecast of the weather.'),
  ].map((tool) => [tool.id, tool]),
);

export function skilledAgent(model: MastraModelConfig, options: Partial<ToolSearchProcessorOptions> = {}): Agent {
  const workspace = new Workspace({
    filesystem: new LocalFilesystem({ basePath: path.join(import.meta.dirname, 'workspace') }),
    skills: ['skills'],
  });
  return new Agent({
    id: 'shop',
    name: 'Shop',
    instructions: 'You help in a shop.',
    model,
    workspace,
    inputProcessors: [new ToolSearchProcessor({ tools, skills: true, ...options })],
    defaultOptions: { maxSteps: 20 },
  });
}
