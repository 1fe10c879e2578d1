import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, rig, tool, toolRecord, weather } from '../support/harness.ts';
import {
  type AnthropicScript,
  anthropicStep,
  message,
  openaiFunctions,
  serverSearch,
  text,
  thinking,
  toolSearchCall,
  toolUse,
} from './fakes/fake-provider.ts';
import { anthropicPackages, catalog, openaiPackages, ownTools, runAnthropic, runOpenAI } from './rig/package-runs.ts';

const server = (more: object = {}): ToolSearchProcessorOptions => ({
  tools: catalog(),
  mode: 'native',
  native: { execution: 'server' },
  ...more,
});
const say = () => ({ content: [text('Done.')] });
const sayOpenAI = () => ({ content: [message(1, 'Done.')] });

describe('keywords, where the provider searches,', () => {
  const search = { keywords: { get_weather: ['forecast', 'climate'], read_clock: ['hour'] } };
  const tools = { ...catalog(), ...toolRecord(tool('read_clock', 'Tell the time.')) };
  const expected = 'Get the current weather of a city.\n\nAlso: forecast, climate';

  it('stand in the descriptions of deferred tools, for Anthropic', async () => {
    const options = server({ tools, search, alwaysLoaded: ['read_clock'] });
    const { bodies } = await runAnthropic('anthropic 4', say, options, { agent: { tools: ownTools() } });
    const descriptions = new Map(bodies[0]!.tools!.map(({ name, description }) => [name, description]));
    expect(descriptions.get('get_weather')).toBe(expected);
    expect(descriptions.get('send_email')).toBe('Send an email message.');
    // Sent at once, it is not searched.
    expect(descriptions.get('read_clock')).toBe('Tell the time.');
  });

  it('stand in the descriptions of deferred tools, for OpenAI', async () => {
    const { bodies } = await runOpenAI('openai 4', sayOpenAI, server({ tools, search }));
    const sent = openaiFunctions(bodies[0]!).find(({ name }) => name === 'get_weather');
    expect(sent!.description).toBe(expected);
  });

  it('stand in no description where this processor searches', async () => {
    const options = server({ tools, search, native: { execution: 'client' } });
    const anthropic = await runAnthropic('anthropic 4', say, options);
    expect(JSON.stringify(anthropic.bodies)).not.toContain('Also:');
    const openai = await runOpenAI(
      'openai 4',
      ({ index }) => ({
        content: [
          index === 0 ? toolSearchCall({ id: 1, callId: 1, args: { query: 'forecast' } }) : message(index, 'Done.'),
        ],
      }),
      options,
    );
    const [output] = openai.bodies[1]!.input.filter(({ type }) => type === 'tool_search_output');
    expect(output!.tools).toMatchObject([{ name: 'get_weather', description: 'Get the current weather of a city.' }]);
  });
});

describe('the variant of Anthropic’s search', () => {
  it.each(anthropicPackages)('is regex where the option says so: %s', async (name) => {
    const script: AnthropicScript = ({ body, index }) =>
      anthropicStep(body) === 0
        ? { content: [...serverSearch(index, ['get_weather'], 'weather', 'regex'), toolUse(index, 'get_weather')] }
        : { content: [text('Done.')] };
    const options = server({ native: { execution: 'server', variant: 'regex' } });
    const { bodies, refused, text: answer } = await runAnthropic(name, script, options);
    expect(refused).toEqual([]);
    expect(answer).toMatch(/Done\.$/);
    for (const { tools } of bodies) {
      expect(tools![0]).toEqual({ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' });
    }
    expect(bodies[1]!.messages[1]!.content).toEqual([
      thinking('Thought 1.'),
      ...serverSearch(0, ['get_weather'], 'weather', 'regex'),
      toolUse(0, 'get_weather'),
    ]);
  });

  it.each(['bm25', 'regex', undefined] as const)(
    'is regex for Bedrock, whatever the option says: %s',
    async (variant) => {
      const native = { execution: 'server', ...(variant ? { variant } : {}) } as const;
      const setup = {
        script: () => ({ text: 'Done.' }),
        provider: 'bedrock.anthropic.messages',
        modelId: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
      };
      const { agent, model } = rig({ tools: catalog(), mode: 'native', native }, setup);
      await agent.generate('hi');
      const [search] = model.calls[0]!.tools;
      expect(search).toMatchObject({
        type: 'provider',
        id: 'anthropic.tool_search_regex_20251119',
        name: 'tool_search_tool_regex',
      });
    },
  );

  it('is regex for Bedrock where native.detect tells the dialect', async () => {
    const native = { execution: 'server', detect: () => 'anthropic' as const } as const;
    const setup = { script: () => ({ text: 'Done.' }), provider: 'bedrock.anthropic.messages', modelId: 'my-profile' };
    const { agent, model } = rig({ tools: catalog(), mode: 'native', native }, setup);
    await agent.generate('hi');
    expect(model.calls[0]!.tools[0]).toMatchObject({ id: 'anthropic.tool_search_regex_20251119' });
  });

  it('changes nothing for OpenAI, and nothing for a search of this processor', async () => {
    const regex = server({ native: { execution: 'server', variant: 'regex' } });
    const plain = await runOpenAI('openai 4', sayOpenAI, server());
    expect((await runOpenAI('openai 4', sayOpenAI, regex)).bodies).toEqual(plain.bodies);
    const client = server({ native: { execution: 'client', variant: 'regex' } });
    const { bodies } = await runAnthropic('anthropic 4', say, client);
    expect(bodies[0]!.tools![0]!.name).toBe('search_tools');
  });
});

describe('what the provider found', () => {
  it('is loaded, and reported once', async () => {
    const script: AnthropicScript = ({ body, index }) =>
      anthropicStep(body) < 2
        ? { content: [...serverSearch(index, ['get_weather', 'send_email']), toolUse(index, 'get_weather')] }
        : { content: [text('Done.')] };
    const { events, bodies, refused } = await runAnthropic('anthropic 4', script, server());
    expect(refused).toEqual([]);
    expect(bodies).toHaveLength(3);
    expect(events).toEqual([{ type: 'load', loaded: ['get_weather', 'send_email'], alreadyLoaded: [], notFound: [] }]);
  });

  it('is not loaded where there is no such tool', async () => {
    const script: AnthropicScript = ({ body, index }) =>
      anthropicStep(body) === 0
        ? { content: [...serverSearch(index, ['a_ghost', 'get_weather']), toolUse(index, 'get_weather')] }
        : { content: [text('Done.')] };
    const { events, bodies, refused } = await runAnthropic('anthropic 4', script, server());
    expect(refused).toEqual([]);
    expect(events).toMatchObject([{ type: 'load', loaded: ['get_weather'] }]);
    expect(JSON.stringify(bodies[1]!.messages)).not.toContain('a_ghost');
  });
});

describe('an empty catalog leaves the search tool in the request', () => {
  it.each(anthropicPackages)('%s', async (name) => {
    const setup = { agent: { tools: ownTools() } };
    const { bodies, refused } = await runAnthropic(name, say, server({ tools: {} }), setup);
    expect(refused).toEqual([]);
    expect(bodies[0]!.tools!.map((entry) => entry.name)).toEqual(['first_own', 'second_own', 'tool_search_tool_bm25']);
  });

  it.each(openaiPackages)('%s', async (name) => {
    const setup = { agent: { tools: ownTools() } };
    const { bodies, refused } = await runOpenAI(name, sayOpenAI, server({ tools: {} }), setup);
    expect(refused).toEqual([]);
    expect(bodies[0]!.tools!.map((entry) => entry.name ?? entry.type)).toEqual([
      'first_own',
      'second_own',
      'tool_search',
    ]);
  });
});

describe('the filter, where the provider searches,', () => {
  it('leaves tools out of the request that it denies in any phase, and is asked once a request', async () => {
    const asked: string[] = [];
    const denied: Record<string, string> = { get_weather: 'search', send_email: 'load', play_music: 'active' };
    const filter: ToolSearchProcessorOptions['filter'] = ({ toolName, phase }) => {
      asked.push(`${toolName} ${phase}`);
      return denied[toolName] !== phase;
    };
    const script: AnthropicScript = ({ body, index }) =>
      anthropicStep(body) < 2 ? { content: [toolUse(index, 'first_own')] } : { content: [text('Done.')] };
    const setup = { agent: { tools: ownTools() } };
    const { bodies } = await runAnthropic('anthropic 4', script, server({ filter }), setup);
    expect(bodies).toHaveLength(3);
    for (const { tools = [] } of bodies) {
      expect(tools.flatMap((entry) => (entry.defer_loading ? [entry.name] : []))).toEqual([
        'book_meeting',
        'create_issue',
        'list_commits',
      ]);
    }
    expect(asked).toEqual([...new Set(asked)]);
  });

  it('that denies everything leaves the resident tools and the search', async () => {
    const tools = toolRecord(weather(), email());
    const setup = { agent: { tools: ownTools() } };
    const { bodies, refused } = await runAnthropic('anthropic 4', say, server({ tools, filter: () => false }), setup);
    expect(refused).toEqual([]);
    expect(bodies[0]!.tools!.map((entry) => entry.name)).toEqual(['first_own', 'second_own', 'tool_search_tool_bm25']);
  });
});
