import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import {
  type AnthropicBody,
  type AnthropicScript,
  functionCall,
  message,
  type OpenAIScript,
  openaiFunctions,
  text,
  toolUse,
} from './fakes/fake-provider.ts';
import {
  anthropicPackages,
  catalog,
  type Execution,
  executions,
  type Mode,
  modes,
  openaiPackages,
  ownTools,
  type Package,
  type RunSetup,
  runAnthropic,
  runOpenAI,
  searchAndUse,
} from './rig/package-runs.ts';

const runs = <Name extends Package>(names: readonly Name[]) =>
  part(
    names.flatMap((name) => executions.flatMap((execution) => modes.map((mode) => [name, execution, mode] as const))),
    'pairs',
  );

const options = (execution: 'client' | 'server'): ToolSearchProcessorOptions => ({
  tools: catalog(),
  mode: 'native',
  native: { execution },
});

/** One model call, in which the model has to call this tool. */
const forced = (toolName: string) => ({ toolChoice: { type: 'tool', toolName }, maxSteps: 1 });
const RAN = { ran: 'get_weather', input: { text: 'Oslo' } };

describe('a tool of the catalog that the caller forces', () => {
  it.each(runs(anthropicPackages))('is sent eager: %s, %s, %s', async (name, execution, mode) => {
    const ran: unknown[] = [];
    const script: AnthropicScript = ({ index }) => ({ content: [toolUse(index, 'get_weather', { text: 'Oslo' })] });
    const call = { ...forced('get_weather'), onStepFinish: (step: object) => void ran.push(resultsOf(step)) };
    const { bodies, refused } = await runAnthropic(name, script, options(execution), { mode, call });
    expect(refused).toEqual([]);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]!.tool_choice).toEqual({ type: 'tool', name: 'get_weather' });
    const deferred = bodies[0]!.tools!.filter((entry) => entry.defer_loading).map((entry) => entry.name);
    expect(deferred).toEqual(Object.keys(catalog()).filter((tool) => tool !== 'get_weather'));
    expect(bodies[0]!.tools!.map((entry) => entry.name)).toContain('get_weather');
    expect(ran).toEqual([[RAN]]);
  });

  it.each(runs(openaiPackages))('is sent eager: %s, %s, %s', async (name, execution, mode) => {
    const ran: unknown[] = [];
    const script: OpenAIScript = ({ index }) => ({ content: [functionCall(index, 'get_weather', { text: 'Oslo' })] });
    const call = { ...forced('get_weather'), onStepFinish: (step: object) => void ran.push(resultsOf(step)) };
    const { bodies, refused } = await runOpenAI(name, script, options(execution), { mode, call });
    expect(refused).toEqual([]);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]!.tool_choice).toEqual({ type: 'function', name: 'get_weather' });
    const sent = openaiFunctions(bodies[0]!);
    expect(sent.filter((entry) => entry.defer_loading !== true).map((entry) => entry.name)).toEqual(['get_weather']);
    expect(ran).toEqual([[RAN]]);
  });

  it('is not sent where the filter denies it', async () => {
    const filter = ({ toolName }: { toolName: string }): boolean => toolName !== 'get_weather';
    const { bodies } = await runAnthropic(
      'anthropic 4',
      () => ({ content: [text('Hm.')] }),
      { ...options('client'), filter },
      { call: { ...forced('get_weather') }, agent: { tools: ownTools() } },
    ).catch(() => ({ bodies: [] as AnthropicBody[] }));
    expect(JSON.stringify(bodies.map(({ tools }) => tools))).not.toContain('get_weather');
  });
});

/** What the tools of a step answered. */
function resultsOf(step: object): unknown[] {
  const { toolResults = [] } = step as { toolResults?: { payload?: { result?: unknown }; result?: unknown }[] };
  return toolResults.map(({ payload, result }) => payload?.result ?? result);
}

const memory = { thread: 'thread-1', resource: 'user-1' };
/** A search and its calls in the first turn; in the second no tools. */
const setup = (mode: Mode, none: object): RunSetup => ({
  mode,
  agent: { tools: ownTools(), memory: new Memory({ storage: new InMemoryStore(), options: { lastMessages: 50 } }) },
  turns: ['hi', 'and now?'],
  call: (turn) => (turn === 0 ? { memory } : { memory, ...none }),
});
const ofCall = { toolChoice: 'none' };
const ofStep = { prepareStep: () => ({ toolChoice: 'none' }) };

const anthropicScript = (execution: Execution): AnthropicScript => {
  const first = searchAndUse(execution).anthropic;
  return (request) => {
    const turns = request.body.messages.filter(({ role, content }) => role === 'user' && isText(content));
    return turns.length > 1 ? { content: [text('No tools.')] } : first(request);
  };
};
const openaiScript = (execution: Execution): OpenAIScript => {
  const first = searchAndUse(execution).openai;
  return (request) => {
    const turns = request.body.input.filter(({ role }) => role === 'user');
    return turns.length > 1 ? { content: [message(request.index, 'No tools.')] } : first(request);
  };
};

describe("toolChoice 'none'", () => {
  it.each(runs(anthropicPackages))('leaves nothing that refers to tools: %s, %s, %s', async (name, execution, mode) => {
    const {
      bodies,
      refused,
      text: answer,
    } = await runAnthropic(name, anthropicScript(execution), options(execution), setup(mode, ofCall));
    expect(refused).toEqual([]);
    expect(answer).toBe('No tools.');
    expect(JSON.stringify(bodies.at(-1))).not.toMatch(/tool_reference|tool_search_tool|server_tool_use/);
    // What the tools answered is still there.
    expect(JSON.stringify(bodies.at(-1))).toContain('{\\"ran\\":\\"create_issue\\"}');
  });

  it.each(runs(openaiPackages))('leaves no search: %s, %s, %s', async (name, execution, mode) => {
    const {
      bodies,
      refused,
      text: answer,
    } = await runOpenAI(name, openaiScript(execution), options(execution), setup(mode, ofCall));
    expect(refused).toEqual([]);
    expect(answer).toBe('No tools.');
    expect(bodies.at(-1)).not.toHaveProperty('tools');
    expect(JSON.stringify(bodies.at(-1)!.input)).not.toMatch(/tool_search_(?:call|output)|"tsc_|"tso_/);
  });

  it.each(runs(anthropicPackages))('may come from prepareStep: %s, %s, %s', async (name, execution, mode) => {
    const { bodies, refused } = await runAnthropic(
      name,
      anthropicScript(execution),
      options(execution),
      setup(mode, ofStep),
    );
    expect(refused).toEqual([]);
    expect(JSON.stringify(bodies.at(-1))).not.toContain('tool_reference');
  });

  it.each(runs(openaiPackages))('may come from prepareStep: %s, %s, %s', async (name, execution, mode) => {
    const { refused, text: answer } = await runOpenAI(
      name,
      openaiScript(execution),
      options(execution),
      setup(mode, ofStep),
    );
    expect(refused).toEqual([]);
    expect(answer).toBe('No tools.');
  });
});

describe('activeTools, in the turn after a search', () => {
  const ofCallActive = { activeTools: ['first_own'] };
  const ofStepActive = { prepareStep: () => ({ activeTools: ['first_own'] }) };

  it.each(runs(anthropicPackages))(
    'are extended by the search and the catalog: %s, %s, %s',
    async (name, execution, mode) => {
      const script = anthropicScript(execution);
      const { bodies, refused } = await runAnthropic(name, script, options(execution), setup(mode, ofCallActive));
      expect(refused).toEqual([]);
      expect(bodies.at(-1)!.tools!.map((entry) => entry.name)).toEqual(
        bodies[0]!.tools!.map((entry) => entry.name).filter((own) => own !== 'second_own'),
      );
    },
  );

  it.each(runs(anthropicPackages))('may come from prepareStep: %s, %s, %s', async (name, execution, mode) => {
    const script = anthropicScript(execution);
    const { refused } = await runAnthropic(name, script, options(execution), setup(mode, ofStepActive));
    expect(refused).toEqual([]);
  });
});

function isText(content: AnthropicBody['messages'][number]['content']): boolean {
  return typeof content === 'string' || content.some(({ type }) => type === 'text');
}
