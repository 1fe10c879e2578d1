import { MessageList } from '@mastra/core/agent';
import { Tool } from '@mastra/core/tools';
import { type MastraTool, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../support/harness.ts';
import {
  type AnthropicScript,
  anthropicStep,
  message,
  type OpenAIScript,
  openaiStep,
  text,
  toolSearchCall,
  toolUse,
} from './fakes/fake-provider.ts';
import {
  anthropicPackages,
  catalog,
  executions,
  openaiPackages,
  runAnthropic,
  runOpenAI,
  searchAndUse,
} from './rig/package-runs.ts';

const say = () => ({ content: [text('Done.')] });
const cacheControl = { type: 'ephemeral' };
const cached = (id: string): MastraTool =>
  tool(id, undefined, { providerOptions: { anthropic: { cacheControl }, other: { kept: true } } });

const anthropicRuns = anthropicPackages.flatMap((name) => executions.map((execution) => [name, execution] as const));
const openaiRuns = openaiPackages.flatMap((name) => executions.map((execution) => [name, execution] as const));

describe('breakpoints of the prompt cache', () => {
  it.each(anthropicRuns)('stay on resident tools, and go from deferred ones: %s, %s', async (name, execution) => {
    const options: ToolSearchProcessorOptions = {
      tools: toolRecord(cached('pinned_tool'), cached('deferred_tool')),
      alwaysLoaded: ['pinned_tool'],
      mode: 'native',
      native: { execution },
    };
    const setup = { agent: { tools: toolRecord(cached('own_tool')) } };
    const { bodies, refused } = await runAnthropic(name, say, options, setup);
    expect(refused).toEqual([]);
    expect(bodies[0]!.tools!.map((entry) => [entry.name, entry.defer_loading, entry.cache_control])).toEqual([
      ['own_tool', undefined, cacheControl],
      ['pinned_tool', undefined, cacheControl],
      [execution === 'client' ? 'search_tools' : 'tool_search_tool_bm25', undefined, undefined],
      ['deferred_tool', true, undefined],
    ]);
  });

  it.each(['cacheControl', 'cache_control'])('go in every form: %s', async (key) => {
    const tools = toolRecord(
      tool('deferred_tool', undefined, { providerOptions: { anthropic: { [key]: cacheControl } } }),
    );
    const { bodies, refused } = await runAnthropic('anthropic 4', say, { tools, mode: 'native' });
    expect(refused).toEqual([]);
    expect(bodies[0]!.tools![1]).not.toHaveProperty('cache_control');
  });
});

/** Frozen to the ground, but for what cannot be: functions and schemas of others. */
function freeze<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || depth > 3) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    if (key !== 'inputSchema' && key !== 'outputSchema') freeze(Reflect.get(value, key), depth + 1);
  }
  return value;
}

describe("the caller's tools", () => {
  const frozen = (): Record<string, MastraTool> => {
    const { create_issue: issue, ...others } = catalog();
    const options = { anthropic: { cacheControl }, openai: { some: 'option' } };
    return freeze({ ...others, create_issue: Object.assign(issue!, { providerOptions: options }) });
  };

  it.each(anthropicRuns)('may be frozen: %s, %s', async (name, execution) => {
    const tools = frozen();
    const script = searchAndUse(execution).anthropic;
    const {
      refused,
      text: answer,
      bodies,
    } = await runAnthropic(name, script, {
      tools,
      mode: 'native',
      native: { execution },
    });
    expect(refused).toEqual([]);
    expect(answer).toMatch(/Done\.$/);
    expect(JSON.stringify(bodies.at(-1)!.messages)).toContain('{\\"ran\\":\\"create_issue\\"}');
    expect(tools['create_issue']!.providerOptions).toEqual({
      anthropic: { cacheControl },
      openai: { some: 'option' },
    });
    expect(tools['get_weather']!.providerOptions).toBeUndefined();
  });

  it.each(openaiRuns)('may be frozen: %s, %s', async (name, execution) => {
    const tools = frozen();
    const script = searchAndUse(execution).openai;
    const { refused, text: answer } = await runOpenAI(name, script, { tools, mode: 'native', native: { execution } });
    expect(refused).toEqual([]);
    expect(answer).toBe('Done.');
    expect(tools['create_issue']!.providerOptions).toEqual({
      anthropic: { cacheControl },
      openai: { some: 'option' },
    });
  });

  it.each([
    ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
    ['openai.responses', 'gpt-5.4', 'openai'],
  ])('are copied with their class and all their fields: %s', async (provider, modelId, dialect) => {
    const original = freeze(
      Object.assign(tool('get_weather'), { extra: 'kept', providerOptions: { other: { kept: true } } }),
    );
    const processor = new ToolSearchProcessor({
      tools: toolRecord(original),
      mode: 'native',
      native: { execution: 'server' },
    });
    const messageList = new MessageList();
    messageList.add('hi', 'input');
    const model = { specificationVersion: 'v3', provider, modelId };
    // As in a step for which Mastra converted nothing.
    const { tools } = await processor.processInputStep({ stepNumber: 0, tools: {}, model, messageList } as never);
    const copy = tools['get_weather'] as MastraTool;
    expect(copy).not.toBe(original);
    expect(copy).toBeInstanceOf(Tool);
    expect(Object.keys(copy).toSorted()).toEqual(Object.keys(original).toSorted());
    expect(copy).toMatchObject({ id: 'get_weather', extra: 'kept', inputSchema: original.inputSchema });
    expect(copy.providerOptions).toEqual({ other: { kept: true }, [dialect]: { deferLoading: true } });
    expect(original.providerOptions).toEqual({ other: { kept: true } });
  });
});

describe("providers' own tools in the catalog", () => {
  const webSearch = { type: 'provider-defined', id: 'anthropic.web_search_20250305', name: 'web_search', args: {} };
  const openaiWebSearch = { ...webSearch, id: 'openai.web_search' };
  const withTool = (entry: object) => ({ ...catalog(), web_search: entry as MastraTool });
  const anthropicSearch: AnthropicScript = ({ body, index }) =>
    anthropicStep(body) === 0
      ? { content: [toolUse(index, 'search_tools', { query: 'select:web_search,get_weather' })] }
      : { content: [text('Done.')] };
  const openaiSearch: OpenAIScript = ({ body, index }) => {
    const args = { query: 'select:web_search,get_weather' };
    return {
      content:
        openaiStep(body) === 0 ? [toolSearchCall({ id: index, callId: index, args })] : [message(index, 'Done.')],
    };
  };

  it.each(anthropicRuns)('are never deferred, nor referred to: %s, %s', async (name, execution) => {
    const options = { tools: withTool(webSearch), mode: 'native', native: { execution } } as const;
    const script = execution === 'client' ? anthropicSearch : say;
    const { bodies, refused } = await runAnthropic(name, script, { ...options, alwaysLoaded: ['web_search'] });
    expect(refused).toEqual([]);
    for (const { tools = [] } of bodies) {
      expect(tools[0]).toEqual({ type: 'web_search_20250305', name: 'web_search' });
      expect(tools.filter((entry) => entry.name === 'web_search')).toHaveLength(1);
    }
    expect(JSON.stringify(bodies)).not.toContain('"tool_name":"web_search"');
  });

  it.each(anthropicPackages)('are sent once they are loaded: %s, client', async (name) => {
    const { bodies } = await runAnthropic(name, anthropicSearch, { tools: withTool(webSearch), mode: 'native' });
    expect(bodies.map(({ tools = [] }) => tools.filter((entry) => entry.name === 'web_search'))).toEqual([
      [],
      [{ type: 'web_search_20250305', name: 'web_search' }],
    ]);
  });

  it.each(openaiPackages)('are sent once they are loaded: %s, client', async (name) => {
    const { bodies } = await runOpenAI(name, openaiSearch, { tools: withTool(openaiWebSearch), mode: 'native' });
    expect(bodies.map(({ tools = [] }) => tools.some(({ type }) => type === 'web_search'))).toEqual([false, true]);
  });

  it.each(anthropicPackages)('are not sent unasked: %s, server', async (name) => {
    const options = { tools: withTool(webSearch), mode: 'native', native: { execution: 'server' } } as const;
    expect(JSON.stringify((await runAnthropic(name, say, options)).bodies)).not.toContain('web_search');
  });

  it.each(['load', 'native'] as const)('are not sent where the filter denies them: mode %s', async (mode) => {
    const filter = ({ toolName }: { toolName: string }): boolean => toolName !== 'web_search';
    const { bodies } = await runAnthropic('anthropic 4', say, { tools: withTool(webSearch), mode, filter });
    expect(JSON.stringify(bodies)).not.toContain('web_search');
  });
});
