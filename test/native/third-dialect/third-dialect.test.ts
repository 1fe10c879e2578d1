import { Agent } from '@mastra/core/agent';
import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dialects } from '../../../src/native/dialects/index.ts';
import { type ModelCall, type Script, scriptedModel, toolResults } from '../../support/scripted-model.ts';
import { tool, toolRecord } from '../../support/simple-tools.ts';
import { acme } from './acme.ts';

// The one line that a dialect needs outside of its folder.
beforeAll(() => {
  dialects.set(acme.name, acme);
});
afterAll(() => {
  dialects.delete(acme.name);
});

const tools = toolRecord(tool('get_weather', 'The weather.'), tool('send_email', 'Sends an email.'));

/** What a search of the provider's adds to an answer. */
const searched = (...hits: readonly string[]): object[] => [
  { type: 'tool-call', toolCallId: 's1', toolName: 'acme_search', input: '{"for":"weather"}', providerExecuted: true },
  { type: 'tool-result', toolCallId: 's1', toolName: 'acme_search', result: { hits }, providerExecuted: true },
];

function start(script: Script, denied: ReadonlySet<string> = new Set()) {
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    ...{ tools, mode: 'native', native: { execution: 'server' } },
    filter: ({ toolName }) => !denied.has(toolName),
    onEvent: (event) => events.push(event),
  });
  const model = scriptedModel(script, { version: 'v3', provider: 'acme.chat', modelId: 'acme-1' });
  const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [processor] });
  return { agent, model, events };
}

const sentBy = ({ tools: sent }: ModelCall) =>
  sent.map((each) => {
    const { deferLoading } = ('providerOptions' in each ? (each.providerOptions?.[acme.name] ?? {}) : {}) as {
      deferLoading?: boolean;
    };
    return `${each.type} ${each.name}${deferLoading ? ', deferred' : ''}`;
  });

it("sends the provider's search tool, and the catalog deferred", async () => {
  const { agent, model } = start(() => ({ text: 'done' }), new Set(['send_email']));
  await agent.generate('How is the weather?');
  expect(model.calls.map(sentBy)).toEqual([['provider acme_search', 'function get_weather, deferred']]);
});

it('loads and runs what the provider found', async () => {
  const { agent, model, events } = start(({ step }) =>
    step === 0
      ? { content: searched('get_weather') as never, toolCalls: [{ toolName: 'get_weather', input: {} }] }
      : { text: 'done' },
  );
  const { text } = await agent.generate('How is the weather?');
  expect(text).toBe('done');
  const results = toolResults(model.calls.at(-1)?.prompt ?? []);
  expect(results.find(({ toolName }) => toolName === 'get_weather')).toMatchObject({ isError: false });
  expect(events).toContainEqual(expect.objectContaining({ type: 'load', by: 'provider', loaded: ['get_weather'] }));
});
