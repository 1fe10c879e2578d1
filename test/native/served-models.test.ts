import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import type { NativeModel, NativeOptions } from 'mastra-tool-search';
import { createOpenAI as createOpenAI3 } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { openaiFunctions } from './fakes/fake-provider.ts';
import { catalog, FOUND, modes, runAnthropic, runOpenAI, searchAndUse } from './rig/package-runs.ts';

type Detect = NonNullable<NativeOptions['detect']>;

/** The recipes of docs/native-mode.md, as they stand there. */
const page = readFileSync(new URL('../../docs/native-mode.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('### Other servers'), page.indexOf('### OpenAI\n'));
const recipes = [...section.matchAll(/detect: (\(.+\) =>[^\n]+),\n|native: \{ detect: (\(.*\) => false) \}/g)].map(
  ([, named, never]) => new Function(`return ${named ?? never}`)() as Detect,
);
const [byName, never] = recipes as [Detect, Detect];

const packages = { '3': [createAnthropic3, createOpenAI3], '4': [createAnthropic, createOpenAI] } as const;
const versions = ['3', '4'] as const;
const cases = (names: readonly string[]) =>
  names.flatMap((name) => versions.flatMap((version) => modes.map((mode) => ({ name, version, mode }))));
const ofAnthropic =
  (name: string | undefined, baseURL: string, modelId: string, version: '3' | '4') =>
  (fetch: typeof globalThis.fetch) =>
    packages[version][0]({ apiKey: 'x', baseURL, fetch, ...(name === undefined ? {} : { name }) })(modelId);
const ofOpenAI =
  (name: string, baseURL: string, modelId: string, version: '3' | '4') => (fetch: typeof globalThis.fetch) =>
    packages[version][1]({ apiKey: 'x', baseURL, fetch, name }).responses(modelId);
const options = (detect?: Detect) => ({ tools: catalog(), mode: 'native', native: detect ? { detect } : {} }) as const;
const offOf = (events: readonly { type: string }[]) => events.filter(({ type }) => type === 'native-off');

describe('the recipes for servers that speak the formats of Anthropic and OpenAI', () => {
  it('are two', () => {
    expect(recipes.map((recipe) => typeof recipe)).toEqual(['function', 'function']);
    expect(never({ provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' } as NativeModel)).toBe(false);
  });

  it.each(cases(['vllm', 'baseten']))(
    'search natively in the Messages of $name: package $version, $mode',
    async (each) => {
      const { name, version, mode } = each;
      const model = ofAnthropic(name, 'http://localhost:8000/v1', 'zai-org/GLM-4.7', version);
      const run = await runAnthropic('anthropic 4', searchAndUse('client').anthropic, options(byName), { mode, model });
      expect([run.refused, run.text, offOf(run.events)]).toEqual([[], 'Done.', []]);
      const deferred = run.bodies[0]!.tools!.filter((sent) => sent.defer_loading === true);
      expect(deferred.map((sent) => sent.name)).toEqual(Object.keys(catalog()));
      expect(JSON.stringify(run.bodies.at(-1)!.messages)).toContain('"type":"tool_reference"');
    },
  );

  it.each(cases(['baseten']))('search natively in the Responses of $name: package $version, $mode', async (each) => {
    const { name, version, mode } = each;
    const model = ofOpenAI(name, 'https://inference.baseten.co/v1', 'zai-org/GLM-4.7', version);
    const run = await runOpenAI('openai 4', searchAndUse('client').openai, options(byName), { mode, model });
    expect([run.refused, run.text, offOf(run.events)]).toEqual([[], 'Done.', []]);
    const [output] = run.bodies.at(-1)!.input.filter(({ type }) => type === 'tool_search_output');
    expect(output!.tools!.map((sent) => sent.name)).toEqual(FOUND);
  });

  it.each(versions)('leave servers to load mode that have a name of their own: package %s', async (version) => {
    for (const name of ['ollama', 'openrouter']) {
      const model = ofAnthropic(name, 'http://localhost:11434/v1', 'claude-sonnet-4-5', version);
      const run = await runAnthropic(
        'anthropic 4',
        () => ({ content: [{ type: 'text', text: 'Done.' }] }),
        options(byName),
        {
          model,
        },
      );
      expect(run.bodies[0]!.tools!.map((sent) => sent.name)).toEqual(['search_tools', 'load_tool']);
      expect(offOf(run.events)).toMatchObject([{ reason: 'unsupported-model' }]);
      const responses = ofOpenAI(name, 'http://localhost:11434/v1', 'gpt-5.4', version);
      const said = { id: 'msg_1', type: 'message', role: 'assistant', content: [] } as never;
      const other = await runOpenAI('openai 4', () => ({ content: [said] }), options(byName), { model: responses });
      expect(openaiFunctions(other.bodies[0]!).map((sent) => sent.name)).toEqual(['search_tools', 'load_tool']);
    }
  });

  it.each(versions)('leave a server to load mode that has the name of the service: package %s', async (version) => {
    const model = ofAnthropic(undefined, 'https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5', version);
    const script = () => ({ content: [{ type: 'text', text: 'Done.' }] }) as never;
    const taken = await runAnthropic('anthropic 4', script, options(), { model });
    expect(taken.bodies[0]!.tools!.map((sent) => sent.name)).not.toContain('load_tool');
    const left = await runAnthropic('anthropic 4', script, options(never), { model });
    expect(left.bodies[0]!.tools!.map((sent) => sent.name)).toEqual(['search_tools', 'load_tool']);
  });
});
