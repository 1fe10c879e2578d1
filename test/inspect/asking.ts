import type { MastraTool } from 'mastra-tool-search';
import type { InspectData } from '../../src/inspect/data.ts';
import { tool, toolRecord } from '../support/agent.ts';

export const tools: Record<string, MastraTool> = toolRecord(
  tool('send_email', 'Send an email message to a person.'),
  tool('read_email', 'Read the messages of an inbox.'),
  tool('get_weather', 'Get the current weather of a city.'),
);

/** The text between two others. */
export const between = (text: string, start: string, end: string): string => text.split(start)[1]?.split(end)[0] ?? '';

/** The data that a page was given. */
export const dataIn = (html: string): InspectData =>
  JSON.parse(between(html, '<script type="application/json" id="inspect-data">', '</script>'));

/** A question as a page asks it. */
export const asking = (question: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Request =>
  new Request('http://localhost:4111/tools', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
    ...{ body: typeof question === 'string' ? question : JSON.stringify(question), signal: signal ?? null },
  });
