import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AnthropicBody, additionsIn, changesIn, type OpenAIBody } from '../fakes/fake-provider.ts';
import { appendFixtureUrl, appendPackages, appendRun, outermost, ways } from '../rig/append-runs.ts';
import { MODES } from '../rig/rig.ts';

const runs = appendPackages.flatMap((name) => ways.flatMap((way) => MODES.map((mode) => ({ name, way, mode }))));

describe('the whole bodies of a run that appends definitions', () => {
  it.each(runs)('are as recorded: $name, $way, $mode', async ({ name, way, mode }) => {
    const run = await appendRun(name, way, mode);
    expect(run.refused).toEqual([]);
    const expected: object[] = JSON.parse(readFileSync(appendFixtureUrl(name, way), 'utf8'));
    expect(outermost(run).map(plain)).toEqual(expected);
  });

  it.each(runs)('begin with the one before: $name, $way, $mode', async ({ name, way, mode }) => {
    const { bodies, marks } = await appendRun(name, way, mode);
    // OpenAI has no item that removes a tool.
    const last = name.startsWith('openai') ? marks[0] : undefined;
    for (const [at, body] of bodies.slice(1, last).entries()) {
      const [before, after] = [itemsOf(bodies[at]!), itemsOf(body)];
      expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
    }
  });

  it.each(runs)('change the tools where they are changed: $name, $way, $mode', async ({ name, way, mode }) => {
    const { bodies } = await appendRun(name, way, mode);
    const last = bodies.at(-1)!;
    if (!('input' in last)) {
      expect(changesIn(last)).toEqual(['+create_issue', '+get_weather', '-create_issue', '+play_music', '-play_music']);
    } else {
      // What was unloaded may stay where it is; what is forbidden goes.
      expect(additionsIn(last)).toEqual(way === 'preselect' ? ['create_issue'] : []);
    }
  });
});

/** Without what differs between `generate` and `stream`. */
function plain(body: AnthropicBody | OpenAIBody): object {
  const { stream: _, ...rest } = body;
  if ('input' in rest) return rest;
  const tools = rest.tools?.map((tool) => {
    const { eager_input_streaming: __, ...entry } = tool as typeof tool & { readonly eager_input_streaming?: boolean };
    return entry;
  });
  return { ...rest, tools };
}

const itemsOf = (body: AnthropicBody | OpenAIBody): readonly unknown[] =>
  'input' in body ? [body.tools, ...body.input] : [body.tools, body.system, ...body.messages];
