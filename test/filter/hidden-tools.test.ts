import type { MastraTool, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../bench/speed/random.ts';
import { callIn, Session } from '../meta-tools/session.ts';
import { rig, calls as scriptOf, toolRecord } from '../support/harness.ts';
import { realTools } from '../support/real-tools.ts';
import { type Case, randomCase } from './twins.ts';

/** More with TWIN_RUNS in the environment. */
const RUNS = Number(process.env['TWIN_RUNS'] ?? 150);
const AGENT_RUNS = Math.ceil(RUNS / 10);

const all = realTools();

/** One half of a pair: with the forbidden tools in the catalog, or without them. */
interface Half {
  readonly tools: Record<string, MastraTool>;
  readonly filter: ToolSearchFilter;
}

/** Half of the filters answer later. */
function halvesOf({ tools, forbidden }: Case, isAsync: boolean): readonly [Half, Half] {
  const isAllowed = (name: string): boolean => !forbidden.has(name);
  const filter: ToolSearchFilter = isAsync
    ? async ({ toolName }) => isAllowed(toolName)
    : ({ toolName }) => isAllowed(toolName);
  return [
    { tools: toolRecord(...tools), filter },
    { tools: toolRecord(...tools.filter(({ id }) => isAllowed(id))), filter },
  ];
}

/** All that the model and the application get to see of a request. */
async function answersOf({ options, calls }: Case, half: Half): Promise<string> {
  const session = new Session({ ...options, ...half });
  const seen: unknown[] = [];
  for (const { name, input } of calls) {
    const { tools } = await session.step();
    seen.push(Object.keys(tools), session.messageList.getAllSystemMessages());
    seen.push(await callIn(tools, name, input));
    const query = (input as { query?: unknown }).query;
    const { requestContext } = session;
    if (typeof query === 'string') seen.push(await session.processor.search(query, { explain: true, requestContext }));
  }
  // What is wrong with a tool is its developer's to know.
  const events = session.events.filter(({ type }) => type !== 'tool-problem');
  return JSON.stringify([seen, await session.sent(), events], null, 1);
}

async function promptsOf({ options, calls }: Case, half: Half): Promise<string> {
  const toolCalls = calls.map(({ name, input }) => ({ toolName: name, input }));
  const { agent, model } = rig({ ...options, ...half }, { script: scriptOf(...toolCalls) });
  await agent.generate('go', { maxSteps: calls.length + 1 });
  const told = model.calls.map(({ prompt, tools }) => ({ prompt, tools }));
  // Ids that Mastra makes up are others in each run.
  return JSON.stringify(
    told,
    (key, value) => (key === 'toolCallId' || key === 'providerOptions' ? undefined : value),
    1,
  );
}

describe('a catalog with tools that the filter forbids', () => {
  it.each([0, 1, 2])(
    'gives model and application, byte for byte, what a catalog without those tools gives (part %i)',
    async (part) => {
      for (let seed = 1 + part; seed <= RUNS; seed += 3) {
        const one = randomCase(all, randomFrom(seed));
        const [hiding, without] = halvesOf(one, seed % 2 === 0);
        expect(await answersOf(one, hiding), `seed ${seed}`).toBe(await answersOf(one, without));
      }
    },
  );

  it('gives the model of a real agent the same prompts and tools as a catalog without those tools', async () => {
    for (let seed = 1; seed <= AGENT_RUNS; seed++) {
      const one = randomCase(all, randomFrom(-seed));
      const [hiding, without] = halvesOf(one, seed % 2 === 0);
      expect(await promptsOf(one, hiding), `seed ${-seed}`).toBe(await promptsOf(one, without));
    }
  });
});
