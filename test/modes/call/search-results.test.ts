import type { MastraTool, SearchToolsResult } from 'mastra-tool-search';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, calls, fillerTools, rig, tool, toolRecord, weather } from '../../support/harness.ts';
import { type ModelCall, toolResults } from '../../support/scripted-model.ts';
import { callRig } from './setup.ts';

type Result = SearchToolsResult['results'][number] & { readonly parameters?: { readonly properties?: object } };

const mail = (name: string, extra: object = {}): MastraTool =>
  tool(name, `Mail: ${name.replaceAll('_', ' ')}.`, {
    inputSchema: z.object({
      to: z.string().describe('The address of who gets it'),
      urgency: z.enum(['low', 'high']).optional(),
    }),
    ...extra,
  });

/** The results of a search for each query, as the model reads them. */
async function found(
  options: Parameters<typeof callRig>[0],
  queries: readonly string[],
  model: { readonly provider?: string; readonly modelId?: string } = {},
): Promise<{ results: readonly Result[]; message: string }[]> {
  const script = calls(...queries.map((query) => call('search_tools', { query })));
  const made = callRig(options, script, model);
  await made.agent.generate('go', { maxSteps: 9 });
  return toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value as never);
}

describe('a search in call mode', () => {
  it.each([
    { provider: 'openai.responses', modelId: 'gpt-4.1' },
    { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
    { provider: 'scripted', modelId: 'scripted' },
  ])('shows the schema of a tool as Mastra sends it to $provider', async (model) => {
    const subject = mail('send_mail');
    const resident = rig(
      { tools: fillerTools(1) },
      { script: () => ({ text: 'done' }), ...model, agent: { tools: { send_mail: subject } } },
    );
    await resident.agent.generate('go');
    const sent = (resident.model.calls[0] as ModelCall).tools.find(({ name }) => name === 'send_mail');
    const { $schema: _, ...expected } = (sent as unknown as { inputSchema: Record<string, unknown> }).inputSchema;
    const [answer] = await found({ tools: toolRecord(subject) }, ['mail'], model);
    expect(answer?.results[0]).toMatchObject({ name: 'send_mail', parameters: expected });
    expect(answer?.results[0]).not.toHaveProperty('signature');
  });

  it('shows the examples of a tool in its schema, as far as there is room', async () => {
    const inputExamples = [{ input: { to: 'ann@example.org' } }, { input: { to: 'x'.repeat(3_000) } }, { to: 'bob' }];
    const [answer] = await found({ tools: toolRecord(mail('send_mail', { inputExamples })) }, ['mail']);
    expect(answer?.results[0]?.parameters).toMatchObject({ examples: [{ to: 'ann@example.org' }] });
    const [without] = await found({ tools: toolRecord(mail('send_mail')) }, ['mail']);
    expect(without?.results[0]?.parameters).not.toHaveProperty('examples');
  });

  it('shows the schemas of the best within the tokens, and signatures of the others', async () => {
    const tools = toolRecord(...['send_mail', 'read_mail', 'move_mail', 'drop_mail'].map((name) => mail(name)));
    const sizes = [];
    for (const schemaTokens of [0, 60, 120, 1_500]) {
      const [answer] = await found({ tools, search: { schemaTokens } }, ['mail']);
      const { results } = answer!;
      expect(results).toHaveLength(4);
      const shown = results.filter(({ parameters }) => parameters !== undefined);
      expect(estimateTokenCount(JSON.stringify(shown.map(({ parameters }) => parameters)))).toBeLessThan(
        schemaTokens + 2,
      );
      expect(results.slice(0, shown.length)).toEqual(shown);
      for (const { signature } of results.slice(shown.length)) expect(signature).toBe("(to, urgency?: 'low' | 'high')");
      sizes.push(shown.length);
    }
    expect(sizes).toEqual([0, 1, 2, 4]);
  });

  it('shows the signature of what is far below the best', async () => {
    const scores: Readonly<Record<string, number>> = { send_mail: 10, read_mail: 1.5, move_mail: 1.4, drop_mail: 1 };
    const scorer = {
      name: 'told',
      index: () => ({ search: () => Object.entries(scores).map(([name, score]) => ({ name, score })) }),
    };
    const tools = toolRecord(...Object.keys(scores).map((name) => mail(name)));
    const [answer] = await found({ tools, search: { scorer } }, ['mail']);
    expect(answer?.results.map(({ name, parameters }) => [name, parameters !== undefined])).toEqual([
      ['send_mail', true],
      ['read_mail', true],
      ['move_mail', false],
      ['drop_mail', false],
    ]);
    expect(answer?.results[2]).toMatchObject({ signature: "(to, urgency?: 'low' | 'high')" });
    const [both] = await found({ tools, search: { scorer } }, [['mail', 'post'] as never]);
    expect(both?.results.every(({ parameters }) => parameters !== undefined)).toBe(true);
  });

  it('shows the schema of a selected tool beside what another query finds, whatever the scores', async () => {
    const others = ['feed_pelican', 'list_birds', 'paint_stork', 'book_flight'].map((name) => mail(name));
    const tools = toolRecord(mail('drop_table'), ...others);
    const [answer] = await found({ tools }, [['select:drop_table', 'feed pelican'] as never]);
    const shown = new Map(answer?.results.map(({ name, parameters }) => [name, parameters !== undefined]));
    expect([shown.get('drop_table'), shown.get('feed_pelican')]).toEqual([true, true]);
  });

  it('shows the schema of the first selected tool, whatever its size', async () => {
    const tools = toolRecord(mail('send_mail'), mail('read_mail'));
    for (const query of ['select:send_mail,read_mail', ['mail', 'select:send_mail']]) {
      const [answer] = await found({ tools, search: { schemaTokens: 10 } }, [query as string]);
      const [first, second] = answer!.results;
      expect(first).toMatchObject({ name: 'send_mail', parameters: { type: 'object' } });
      expect(second).toMatchObject({ name: 'read_mail', signature: "(to, urgency?: 'low' | 'high')" });
    }
    const [searched] = await found({ tools, search: { schemaTokens: 10 } }, [['mail', 'select:unknown'] as never]);
    for (const result of searched!.results) expect(result).not.toHaveProperty('parameters');
  });

  it('teaches the bridge, and no word of loading', async () => {
    const made = callRig(
      { tools: toolRecord(weather(), mail('send_mail')), injectCatalog: true },
      calls(
        call('search_tools', { query: 'mail' }),
        call('search_tools', { query: 'qqqq' }),
        call('search_tools', { query: 'select:send_mail' }),
        call('search_tools', { query: 'select:send_mial,get_weather' }),
      ),
    );
    await made.agent.generate('go', { maxSteps: 9 });
    const { prompt, tools } = made.model.calls.at(-1)!;
    const told = JSON.stringify({ prompt, tools }).replaceAll('without loading or calling', '');
    expect(told).not.toMatch(/\bload/i);
    const [first, none, selected, misspelled] = toolResults(prompt).map(({ value }) => value as { message: string });
    expect(first?.message).toMatch(/Call one now: call_tool/);
    expect(none?.message).toMatch(/No tools found/);
    expect(selected).toMatchObject({ results: [{ name: 'send_mail', parameters: { type: 'object' } }] });
    expect(selected?.message).toMatch(/^Call it now: call_tool/);
    expect(misspelled?.message).toMatch(/get_weather|call_tool.*"send_mial" not found. Did you mean: send_mail\?/);
  });

  it('shows a tool without a schema, and one whose schema cannot be converted', async () => {
    const odd = tool('odd_mail', 'Odd mail.', { inputSchema: z.object({ at: z.custom<Map<string, string>>() }) });
    const bare = tool('bare_mail', 'Bare mail.', { inputSchema: undefined });
    const [answer] = await found({ tools: toolRecord(odd, bare) }, ['mail']);
    expect(answer?.results.map(({ name }) => name).sort()).toEqual(['bare_mail', 'odd_mail']);
  });
});
