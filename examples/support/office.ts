import { createTool } from '@mastra/core/tools';
import type { MastraTool } from 'mastra-tool-search';
import { z } from 'zod';
import { type ScriptedModel, scriptedModel } from '../../test/support/scripted-model.ts';
import { taskScript } from './task-script.ts';

function officeTool(id: string, description: string, parameters: string[], answer = 'Done.'): MastraTool {
  return createTool({
    id,
    description,
    inputSchema: z.object(Object.fromEntries(parameters.map((name) => [name, z.string()]))),
    execute: async () => answer,
  });
}

/** The tools of an office. Each only answers. */
export const tools: Record<string, MastraTool> = Object.fromEntries(
  [
    officeTool('get_weather', 'Get the current weather of a city', ['city'], 'Sunny, 21 °C.'),
    officeTool('send_email', 'Send an email message to somebody', ['to', 'subject', 'body']),
    officeTool('search_emails', 'Search the mailbox for messages', ['query']),
    officeTool('create_event', 'Create an event in the calendar', ['title', 'start', 'end']),
    officeTool('list_events', 'List the events of a day in the calendar', ['day']),
    officeTool('create_invoice', 'Create an invoice for a customer', ['customer', 'amount']),
    officeTool('list_customers', 'List the customers of a country', ['country']),
    officeTool('convert_currency', 'Convert an amount from one currency into another', ['amount', 'from', 'to']),
    officeTool('translate_text', 'Translate a text into another language', ['text', 'language']),
    officeTool('book_room', 'Book a meeting room', ['room', 'start', 'end']),
    officeTool('open_ticket', 'Open a support ticket', ['title', 'body']),
    officeTool('search_wiki', 'Search the pages of the wiki', ['query']),
  ].map((tool) => [tool.id, tool]),
);

/** A tool that an agent has anyway. */
export const clock: MastraTool = officeTool('clock', 'Tell the time in a city', ['city'], '12:00');

/** Stands in for a language model, so that the examples need no key. */
export function officeModel(searchTool = 'search_tools'): ScriptedModel<'v3'> {
  return scriptedModel(taskScript([{ search: 'weather in a city', values: { city: 'Bern' } }], { searchTool }));
}

export const model: ScriptedModel<'v3'> = officeModel();
