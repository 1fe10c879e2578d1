import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { describe, expect, it } from 'vitest';
import {
  type AnthropicScript,
  anthropicStep,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
  type OpenAIScript,
  openaiStep,
  serverSearch,
  serverSearchCall,
  serverSearchResult,
  text,
  toolSearchCall,
  toolUse,
} from './fakes/fake-provider.ts';
import { EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { anthropicView, openaiView } from './rig/views.ts';
import { type World, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const forms = EXECUTIONS.flatMap((execution) => kinds.map((kind) => ({ kind, execution })));

/** An agent with the processor of a world, and a service that follows a script. */
function agentOf({ processor }: World, model: unknown): Agent {
  return new Agent({
    id: 'scripted',
    name: 'Scripted',
    instructions: 'Help.',
    model: model as never,
    inputProcessors: [processor],
  });
}

const anthropicWith = (script: AnthropicScript) => {
  const fake = fakeAnthropic(script);
  return { fake, model: createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5') };
};

const openaiWith = (script: OpenAIScript) => {
  const fake = fakeOpenAI(script);
  return { fake, model: createOpenAI({ apiKey: 'x', fetch: fake.fetch }).responses('gpt-5.4') };
};

describe('several searches in one response load all that they find', () => {
  it.each(['generate', 'stream'] as const)('where this processor answers Anthropic, %s', async (mode) => {
    const there = world();
    const { fake, model } = anthropicWith(({ body }) => {
      if (anthropicStep(body) > 1) return { content: [text('over')] };
      if (anthropicStep(body) === 1) return { content: [toolUse('b1', 'get_weather'), toolUse('b2', 'send_email')] };
      const searches = ['weather', 'email'].map((query) => toolUse(`a${query}`, 'search_tools', { query }));
      return { content: [text('Let me see.'), ...searches] };
    });
    await run(agentOf(there, model), mode);
    expect([...there.ran].sort()).toEqual(['get_weather', 'send_email']);
    expect(fake.refused).toEqual([]);
    expect([...anthropicView(fake.requests[1]!.body).referenced].sort()).toEqual(['get_weather', 'send_email']);
  });

  it.each(['generate', 'stream'] as const)('where this processor answers OpenAI, %s', async (mode) => {
    const there = world();
    const { fake, model } = openaiWith(({ body }) => {
      if (openaiStep(body) > 1) return { content: [message(9, 'over')] };
      if (openaiStep(body) === 1)
        return { content: [functionCall('b1', 'get_weather'), functionCall('b2', 'send_email')] };
      return {
        content: ['weather', 'email'].map((query) =>
          toolSearchCall({ id: `a${query}`, callId: `a${query}`, args: { query } }),
        ),
      };
    });
    await run(agentOf(there, model), mode);
    expect([...there.ran].sort()).toEqual(['get_weather', 'send_email']);
    expect(fake.refused).toEqual([]);
    expect([...openaiView(fake.requests[1]!.body, new Map()).referenced].sort()).toEqual(['get_weather', 'send_email']);
  });

  it('where Anthropic searches, and one search failed', async () => {
    const there = world({ execution: 'server' });
    const { fake, model } = anthropicWith(({ body }) => {
      if (anthropicStep(body) > 0) return { content: [text('over')] };
      const failed = [serverSearchCall('a1', '('), serverSearchResult('a1', { error: 'invalid_tool_input' })];
      return { content: [...failed, ...serverSearch('a2', ['get_weather']), toolUse('a3', 'get_weather')] };
    });
    await run(agentOf(there, model), 'generate');
    await run(agentOf(there, model), 'stream');
    expect(there.ran.length).toBeGreaterThan(0);
    expect(fake.refused).toEqual([]);
  });
});

async function run(agent: Agent, mode: 'generate' | 'stream'): Promise<void> {
  if (mode === 'generate') {
    await agent.generate('Go on.');
    return;
  }
  await (await agent.stream('Go on.')).consumeStream();
}

describe.each(forms)('toolChoice, $kind, $execution:', ({ kind, execution }) => {
  it('none leaves a turn without tools, and the next one with them', async () => {
    const there = world({
      execution,
      script: ({ goals }) => (goals.length > 0 ? undefined : { type: 'say', text: 'hm' }),
    });
    await there.say('use get_weather', kind);
    expect(await there.say('Talk.', kind, { toolChoice: 'none' })).toMatch('hm');
    expect(there.refused()).toEqual([]);
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(there.sent.slice(before).map(({ action }) => action?.type)).toEqual(['call', 'say']);
    expect(there.refused()).toEqual([]);
  });

  it('of a tool of the catalog has it sent eager', async () => {
    const there = world({ execution, script: () => ({ type: 'call', name: 'send_email' }) });
    const toolChoice = { type: 'tool', toolName: 'send_email' };
    await there.say('Go on.', kind, { toolChoice, maxSteps: 1 });
    expect(there.sent[0]?.eager).toContain('send_email');
    expect(there.ran).toEqual(['send_email']);
    expect(there.refused()).toEqual([]);
    await there.say('Go on.', kind, { maxSteps: 1 });
    expect(there.refused()).toEqual([]);
  });
});
