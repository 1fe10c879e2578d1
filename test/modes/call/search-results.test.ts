import type { MastraTool, SearchToolsResult } from 'mastra-tool-search';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, calls, fillerTools, rig, tool, toolRecord, weather } from '../../support/agent.ts';
import { answersTo, type callRig } from './setup.ts';

type Result = SearchToolsResult['results'][number] & { readonly parameters?: { readonly properties?: object } };

const signature = "(to, urgency?: 'low' | 'high')";
const mail = (name: string, extra: object = {}): MastraTool =>
  tool(name, `Mail: ${name.replaceAll('_', ' ')}.`, {
    inputSchema: z.object({
      to: z.string().describe('The address of who gets it'),
      urgency: z.enum(['low', 'high']).optional(),
    }),
    ...extra,
  });
const mails = (...names: readonly string[]) => toolRecord(...names.map((name) => mail(name)));

/** What a search finds, as the model reads it. */
async function found(
  options: Parameters<typeof callRig>[0],
  query: string | readonly string[] = 'mail',
  model: { readonly provider?: string; readonly modelId?: string } = {},
): Promise<readonly Result[]> {
  const { values } = await answersTo(options, [call('search_tools', { query })], model);
  return (values[0] as { results: readonly Result[] }).results;
}

/** The names of those that are shown with their schemas. */
const shownIn = (results: readonly Result[]): readonly string[] =>
  results.filter(({ parameters }) => parameters !== undefined).map(({ name }) => name);

describe('a search in call mode', () => {
  it.each([
    { provider: 'openai.responses', modelId: 'gpt-4.1' },
    { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
    { provider: 'scripted', modelId: 'scripted' },
  ])('shows the schema of a tool as Mastra sends it to $provider', async (model) => {
    const tools = mails('send_mail');
    const resident = rig({ tools: fillerTools(1) }, { script: calls(), ...model, agent: { tools } });
    await resident.agent.generate('go');
    const sent = resident.model.calls[0]!.tools.find(({ name }) => name === 'send_mail');
    const { $schema: _, ...parameters } = (sent as unknown as { inputSchema: Record<string, unknown> }).inputSchema;
    const [first] = await found({ tools }, 'mail', model);
    expect(first).toMatchObject({ name: 'send_mail', parameters });
    expect(first).not.toHaveProperty('signature');
  });

  it('shows the examples of a tool in its schema, as far as there is room', async () => {
    const inputExamples = [{ input: { to: 'ann@example.org' } }, { input: { to: 'x'.repeat(3_000) } }, { to: 'bob' }];
    const [first] = await found({ tools: toolRecord(mail('send_mail', { inputExamples })) });
    expect(first?.parameters).toMatchObject({ examples: [{ to: 'ann@example.org' }] });
    const [without] = await found({ tools: mails('send_mail') });
    expect(without?.parameters).not.toHaveProperty('examples');
  });

  it.each([
    { schemaTokens: 0, shown: 0 },
    { schemaTokens: 60, shown: 1 },
    { schemaTokens: 120, shown: 2 },
    { schemaTokens: 1_500, shown: 4 },
  ])('shows the schemas of the best within $schemaTokens tokens, and signatures of the others', async (one) => {
    const { schemaTokens, shown } = one;
    const tools = mails('send_mail', 'read_mail', 'move_mail', 'drop_mail');
    const results = await found({ tools, search: { schemaTokens } });
    expect(results.map(({ signature: told }) => told)).toEqual([
      ...Array(shown).fill(undefined),
      ...Array(4 - shown).fill(signature),
    ]);
    const schemas = results.slice(0, shown).map(({ parameters }) => parameters);
    expect(estimateTokenCount(JSON.stringify(schemas))).toBeLessThan(schemaTokens + 2);
  });

  it('shows the signature of what is far below the best of one query', async () => {
    const scores: Readonly<Record<string, number>> = { send_mail: 10, read_mail: 1.5, move_mail: 1.4, drop_mail: 1 };
    const matches = Object.entries(scores).map(([name, score]) => ({ name, score }));
    const scorer = { name: 'told', index: () => ({ search: () => matches }) };
    const options = { tools: mails(...Object.keys(scores)), search: { scorer } };
    const results = await found(options);
    expect(shownIn(results)).toEqual(['send_mail', 'read_mail']);
    expect(results[2]).toMatchObject({ signature });
    expect(shownIn(await found(options, ['mail', 'post']))).toHaveLength(4);
  });

  it('shows the schema of a selected tool, whatever the scores and its size', async () => {
    const others = ['feed_pelican', 'list_birds', 'paint_stork', 'book_flight'];
    const beside = await found({ tools: mails('drop_table', ...others) }, ['select:drop_table', 'feed pelican']);
    expect(shownIn(beside)).toEqual(expect.arrayContaining(['drop_table', 'feed_pelican']));
    const options = { tools: mails('send_mail', 'read_mail'), search: { schemaTokens: 10 } };
    for (const query of ['select:send_mail,read_mail', ['mail', 'select:send_mail']]) {
      const [first, second] = await found(options, query);
      expect(first).toMatchObject({ name: 'send_mail', parameters: { type: 'object' } });
      expect(second).toMatchObject({ name: 'read_mail', signature });
    }
    expect(shownIn(await found(options, ['mail', 'select:unknown']))).toEqual([]);
  });

  it('teaches the bridge, and no word of loading', async () => {
    const queries = ['mail', 'qqqq', 'select:send_mail', 'select:send_mial,get_weather'];
    const { values, model } = await answersTo(
      { tools: toolRecord(weather(), mail('send_mail')), injectCatalog: true },
      queries.map((query) => call('search_tools', { query })),
    );
    const { prompt, tools } = model.calls.at(-1)!;
    const told = JSON.stringify({ prompt, tools }).replaceAll('without loading or calling', '');
    expect(told).not.toMatch(/\bload/i);
    expect(values).toMatchObject([
      { message: expect.stringContaining('Call send_mail now: call_tool') },
      { message: expect.stringContaining('No tools found') },
      {
        results: [{ name: 'send_mail', parameters: { type: 'object' } }],
        message: expect.stringMatching(/^Call it now: call_tool/),
      },
      { message: expect.stringContaining('"send_mial" not found. Did you mean: send_mail?') },
    ]);
  });

  it('shows a tool without a schema, and one whose schema cannot be converted', async () => {
    const odd = tool('odd_mail', 'Odd mail.', { inputSchema: z.object({ at: z.custom<Map<string, string>>() }) });
    const bare = tool('bare_mail', 'Bare mail.', { inputSchema: undefined });
    const names = (await found({ tools: toolRecord(odd, bare) })).map(({ name }) => name);
    expect(names.sort()).toEqual(['bare_mail', 'odd_mail']);
  });
});
