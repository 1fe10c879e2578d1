import { createOpenAI as createOpenAI4 } from '@ai-sdk/openai';
import { createOpenAI as createOpenAI3First } from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { openaiFunctions } from './fakes/fake-provider.ts';
import { catalog, executions, FOUND, modes, ownTools, runOpenAI, searchAndUse } from './rig/package-runs.ts';

/** The package for Azure is the one of OpenAI under this name, with the names of deployments as ids. */
const azure = {
  '3.0.46': createOpenAI3First,
  '4': createOpenAI4,
};

const cases = (Object.keys(azure) as (keyof typeof azure)[]).flatMap((version) =>
  executions.flatMap((execution) => modes.map((mode) => [version, execution, mode] as const)),
);

describe('an Azure model that native.detect names', () => {
  it.each(cases)('searches and calls as one of OpenAI: package %s, %s, %s', async (version, execution, mode) => {
    const { bodies, refused, events, text } = await runOpenAI(
      'openai 4',
      searchAndUse(execution).openai,
      {
        tools: catalog(),
        mode: 'native',
        native: { execution, detect: ({ provider }) => (provider === 'azure.responses' ? 'openai' : undefined) },
      },
      {
        mode,
        agent: { tools: ownTools() },
        model: (fetch) => azure[version]({ apiKey: 'x', fetch, name: 'azure' })('my-deployment'),
      },
    );
    expect(refused).toEqual([]);
    expect(text).toBe('Done.');
    expect(events.filter(({ type }) => type === 'native-off')).toEqual([]);
    const eager = bodies.map((body) => openaiFunctions(body).filter((tool) => tool.defer_loading !== true));
    expect(eager.map((tools) => tools.map((tool) => tool.name))).toEqual(bodies.map(() => Object.keys(ownTools())));
    if (execution === 'server') return;
    const [output] = bodies.at(-1)!.input.filter(({ type }) => type === 'tool_search_output');
    expect(output!.tools!.map((tool) => tool.name)).toEqual(FOUND);
  });
});
