import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { part } from '../support/breadth.ts';
import {
  type AnthropicBody,
  type AnthropicScript,
  anthropicStep,
  functionCall,
  message,
  type OpenAIBody,
  type OpenAIScript,
  openaiStep,
  serverSearch,
  text,
  toolSearchCall,
  toolSearchOutput,
  toolUse,
} from './fakes/fake-provider.ts';
import {
  anthropicPackages,
  catalog,
  type Execution,
  executions,
  modes,
  openaiPackages,
  ownTools,
  type RunSetup,
  runAnthropic,
  runOpenAI,
} from './rig/package-runs.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'native-prefix-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Loads one tool after the other in the first turn, and one more in the second. */
const TURNS = [['get_weather', 'send_email', 'create_issue'], ['play_music']];
const tools = { tools: ownTools() };

function twoTurns(): RunSetup {
  files += 1;
  const storage = new LibSQLStore({ id: `prefix-${files}`, url: `file:${join(folder, `${files}.db`)}` });
  return {
    agent: { ...tools, memory: new Memory({ storage, options: { lastMessages: 50 } }) },
    call: { memory: { thread: 'thread-1', resource: 'user-1' } },
    turns: ['hi', 'and now?'],
  };
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const distinct = (values: readonly unknown[]): number => new Set(values.map(hash)).size;

/** One search in each step, then a call of each tool that was found, then a text. */
function searches(execution: Execution | 'core'): AnthropicScript {
  return ({ body, index }) => {
    const asked = body.messages.filter(({ content }) => JSON.stringify(content).includes('"type":"text"'));
    const found = TURNS[asked.filter(({ role }) => role === 'user').length - 1]!;
    const step = anthropicStep(body);
    const uses = found.map((name, position) => toolUse(`9${index}${position}`, name));
    const name = found[step];
    if (name === undefined) return { content: step === found.length ? uses : [text('Done.')] };
    if (execution === 'core') return { content: [toolUse(index, 'load_tool', { toolName: name })] };
    if (execution === 'client') return { content: [toolUse(index, 'search_tools', { query: `select:${name}` })] };
    return { content: [...serverSearch(index, [name]), toolUse(index, 'first_own')] };
  };
}

function openaiSearches(execution: Execution | 'core'): OpenAIScript {
  return ({ body, index }) => {
    const found = TURNS[body.input.filter(({ role }) => role === 'user').length - 1]!;
    const step = openaiStep(body);
    const groupOf = (name: string) => body.tools?.find((entry) => entry.tools?.some((tool) => tool.name === name));
    const calls = found.map((name, position) => functionCall(`9${index}${position}`, name, {}, groupOf(name)?.name));
    const name = found[step];
    if (name === undefined) return { content: step === found.length ? calls : [message(index, 'Done.')] };
    if (execution === 'core') return { content: [functionCall(index, 'load_tool', { toolName: name })] };
    if (execution === 'client') {
      return { content: [toolSearchCall({ id: index, callId: index, args: { query: `select:${name}` } })] };
    }
    const group = groupOf(name);
    const output = group ? [group] : body.tools!.filter((tool) => tool.name === name);
    const search = [
      toolSearchCall({ id: index, args: { paths: [name] } }),
      toolSearchOutput({ id: index, tools: output }),
    ];
    return { content: [...search, functionCall(index, 'first_own')] };
  };
}

/** What stands before the conversation for the model: deferred tools do not. */
const anthropicPrefix = ({ system, tools: sent = [] }: AnthropicBody): unknown => [
  sent.filter((tool) => tool.defer_loading !== true),
  system,
];
const openaiPrefix = ({ input, instructions, tools: sent = [] }: OpenAIBody): unknown => [
  sent.filter((tool) => tool.type !== 'namespace' && tool.defer_loading !== true),
  instructions,
  input.filter(({ role }) => role === 'developer' || role === 'system'),
];

/** Up to and with the search tool, in the order of the request. */
function upToSearch<Tool extends { readonly name?: string; readonly type?: string }>(
  sent: readonly Tool[] = [],
): Tool[] {
  const at = sent.findIndex(({ name = '', type = '' }) => /^(search_tools|tool_search)/.test(`${name}${type}`));
  expect(at).toBeGreaterThan(-1);
  return sent.slice(0, at + 1);
}

/** Each conversation begins with the one before it. */
function expectGrowth(conversations: readonly (readonly unknown[])[]): void {
  for (const [at, conversation] of conversations.entries()) {
    const before = conversations[at - 1] ?? [];
    expect(conversation.length).toBeGreaterThan(before.length);
    expect(JSON.stringify(conversation.slice(0, before.length))).toBe(JSON.stringify(before));
  }
}

const inPairs = <Name extends string>(names: readonly Name[]) =>
  part(
    names.flatMap((name) => executions.flatMap((execution) => modes.map((mode) => ({ name, execution, mode })))),
    'pairs',
  );

describe('the beginning of a request to Anthropic', () => {
  const cases = inPairs(anthropicPackages);

  function expectConstant(bodies: readonly AnthropicBody[]): void {
    expect(distinct(bodies.map((body) => [body.system, upToSearch(body.tools)]))).toBe(1);
    expect(distinct(bodies.map(anthropicPrefix))).toBe(1);
    expect(distinct(bodies.map((body) => body.tools))).toBe(1);
    expectGrowth(bodies.map((body) => body.messages));
  }

  it.each(cases)(
    'stays the same over the steps of two turns with memory: $name, $execution, $mode',
    async ({ name, execution, mode }) => {
      const options = { tools: catalog(), mode: 'native', native: { execution } } as const;
      const { bodies, refused } = await runAnthropic(name, searches(execution), options, { ...twoTurns(), mode });
      expect(refused).toEqual([]);
      expect(bodies).toHaveLength(8);
      expectConstant(bodies);
    },
  );

  it('changes with the class of @mastra/core (control)', async () => {
    const inputProcessors = [new CoreProcessor({ tools: catalog() })];
    const setup = { agent: { ...tools, inputProcessors } };
    const { bodies, refused } = await runAnthropic('anthropic 4', searches('core'), undefined, setup);
    expect(refused).toEqual([]);
    expect(bodies).toHaveLength(5);
    // Nothing is loaded by the last two.
    expect(distinct(bodies.map(anthropicPrefix))).toBe(4);
    expect(distinct(bodies.map((body) => body.tools))).toBe(4);
  });
});

describe('the beginning of a request to OpenAI', () => {
  const cases = inPairs(openaiPackages);

  function expectConstant(bodies: readonly OpenAIBody[]): void {
    expect(distinct(bodies.map((body) => [openaiPrefix(body), upToSearch(body.tools)]))).toBe(1);
    expect(distinct(bodies.map((body) => body.tools))).toBe(1);
    expectGrowth(bodies.map((body) => body.input));
  }

  it.each(cases)(
    'stays the same over the steps of two turns with memory: $name, $execution, $mode',
    async ({ name, execution, mode }) => {
      const options = { tools: catalog(), mode: 'native', native: { execution } } as const;
      const { bodies, refused } = await runOpenAI(name, openaiSearches(execution), options, { ...twoTurns(), mode });
      expect(refused).toEqual([]);
      expect(bodies).toHaveLength(8);
      expectConstant(bodies);
    },
  );

  it('changes with the class of @mastra/core (control)', async () => {
    const inputProcessors = [new CoreProcessor({ tools: catalog() })];
    const setup = { agent: { ...tools, inputProcessors } };
    const { bodies, refused } = await runOpenAI('openai 4', openaiSearches('core'), undefined, setup);
    expect(refused).toEqual([]);
    expect(bodies).toHaveLength(5);
    expect(distinct(bodies.map(openaiPrefix))).toBe(4);
  });
});
