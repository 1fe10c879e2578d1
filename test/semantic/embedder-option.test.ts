import {
  bm25Scorer,
  type EmbedFunction,
  type MastraTool,
  type SearchEmbedder,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';
import { clockAt } from '../support/date-clock.ts';
import { memorySource } from '../support/memory-source.ts';
import { jsonCache } from './embeddings/embedders.ts';

/** Meanings by a word that stands for each: words of a query or tool that mean the same have one direction. */
const MEANINGS = [
  ['gripe', 'issue', 'bug'],
  ['rain', 'weather', 'sun'],
];

function vectorOf(text: string): number[] {
  const vector = MEANINGS.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0));
  return [...vector, 0.1];
}

/** A model that answers when it is let. */
function noted(gate: Promise<void> = Promise.resolve()) {
  const texts: string[] = [];
  const embed: EmbedFunction = async (asked, purpose) => {
    if (purpose === 'document') {
      texts.push(...asked);
      await gate;
    }
    return asked.map(vectorOf);
  };
  return { embed, texts };
}

const open: EmbedFunction = (texts) => texts.map(vectorOf);
const issue = () => tool('create_issue', 'Reports an issue.');
const weather = () => tool('get_weather', 'Tells the weather.');
const others = () => Array.from({ length: 12 }, (_, at) => tool(`other_${at}`, `Does thing number ${at}.`));
const all = () => [issue(), weather(), ...others()];

function processorWith(
  embedder: SearchEmbedder,
  tools: readonly MastraTool[] = all(),
  more: Partial<ToolSearchProcessorOptions> = {},
) {
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(...tools),
    ...more,
    search: { embedder, ...more.search },
    onEvent: (event) => void events.push(event),
  });
  processor.__registerMastra({ getLogger: () => ({ warn: () => {} }) } as never);
  const found = async (query: string) => (await processor.search(query)).map(({ name }) => name);
  /** When it ranks by meaning. */
  const ready = () => expect.poll(async () => (await found('rain or bug')).length).toBeGreaterThan(0);
  const states = () => events.flatMap((event) => (event.type === 'embedding' ? [event.state] : []));
  const scored = async (query: string) => (await processor.search(query)).map(({ name, score }) => ({ name, score }));
  return { found, scored, events, states, ready };
}

describe('search.embedder', () => {
  it('ranks by words while vectors are waited for, and by meaning as soon as they are there', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { found, states } = processorWith(noted(gate).embed);
    expect(await found('hand in a gripe')).toEqual([]);
    expect(await found('weather')).toEqual(['get_weather']);
    expect(states()).toEqual(['pending']);
    release();
    await expect.poll(states).toEqual(['pending', 'ready']);
    expect((await found('hand in a gripe'))[0]).toBe('create_issue');
  });

  const doEmbed = async ({ values }: { values: string[] }) => ({ embeddings: values.map(vectorOf) });
  it.each([
    { form: 'a function', embedder: open },
    { form: 'a model', embedder: { modelId: 'm', doEmbed } },
    { form: 'settings', embedder: { embed: open, share: 0.3, batchSize: 5, concurrency: 1 } },
  ])('takes $form, and gives confidence, so that minConfidence and preselect work', async ({ embedder }) => {
    const more = { preselect: true, timeouts: { preselect: 10_000 }, search: { minConfidence: 0.01 } };
    const { found, ready } = processorWith(embedder, all(), more);
    await ready();
    expect((await found('hand in a gripe'))[0]).toBe('create_issue');
    expect((await found('create_issue'))[0]).toBe('create_issue');
  });

  it('embeds a tool once for all processors of a model, and only what is new of a catalog that changes', async () => {
    const { embed, texts } = noted();
    await processorWith(embed, [issue(), ...others()]).ready();
    const count = texts.length;
    let tools = [issue(), ...others()];
    const { found, states } = processorWith(embed, [], { tools: () => toolRecord(...tools) });
    expect((await found('hand in a gripe'))[0]).toBe('create_issue');
    expect([texts.length, states()]).toEqual([count, []]);
    tools = [...tools, weather()];
    expect((await found('hand in a gripe'))[0]).toBe('create_issue');
    expect(texts.length).toBe(count + 1);
  });

  it('keeps vectors in a cache, and then has them at the first search', async () => {
    const cache = jsonCache();
    await processorWith({ embed: open, cache, model: 'm' }).ready();
    const { embed, texts } = noted();
    const { found } = processorWith({ embed, cache, model: 'm' });
    await expect.poll(async () => (await found('hand in a gripe'))[0]).toBe('create_issue');
    expect(texts).toEqual([]);
  });

  it('finds nothing by meaning that the request may not see', async () => {
    const filter = ({ toolName }: { readonly toolName: string }) => toolName !== 'create_issue';
    const made = processorWith(open, all(), { filter });
    await made.ready();
    expect(await made.found('hand in a gripe')).not.toContain('create_issue');
    expect((await made.found('rain'))[0]).toBe('get_weather');
  });
});

it.each([
  { fault: 'throws', isBad: true },
  { fault: 'is waited for', isBad: false },
])('a forbidden tool whose text $fault does not show in the scores of the others', async ({ isBad }) => {
  const secret = () => Array.from({ length: 6 }, (_, at) => tool(`secret_${at}`, 'Rotten text.'));
  const embed: EmbedFunction = async (texts, purpose) => {
    if (purpose === 'document' && texts.some((text) => text.includes('Rotten'))) {
      if (isBad) throw new Error('refused');
      await new Promise(() => {});
    }
    return texts.map(vectorOf);
  };
  const filter = ({ toolName }: { readonly toolName: string }) => !toolName.startsWith('secret');
  // One text a call, so that a call that hangs holds up no other.
  const settings = { embed, batchSize: 1, concurrency: 30 };
  const [twin, made] = [all(), [...all(), ...secret()]].map((tools) => processorWith(settings, tools, { filter }));
  await twin?.ready();
  await made?.ready();
  expect(await made?.scored('hand in a gripe')).toEqual(await twin?.scored('hand in a gripe'));
});

it('a model that fails leaves words, is reported, and is asked again after a while', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const clock = clockAt(1_000_000);
  let isDown = true;
  const embed: EmbedFunction = async (texts) => {
    if (isDown) throw new Error('the model is down');
    return texts.map(vectorOf);
  };
  const made = processorWith(embed);
  expect(await made.found('weather')).toEqual(['get_weather']);
  await expect.poll(() => made.events.some((event) => event.type === 'scorer-failed' && event.survived)).toBe(true);
  const faults = made.events.length;
  expect(await made.found('weather')).toEqual(['get_weather']);
  expect(made.events.length).toBe(faults);
  isDown = false;
  clock.time += 2_000;
  expect(await made.found('weather')).toEqual(['get_weather']);
  await expect.poll(() => made.states().at(-1)).toBe('ready');
  expect((await made.found('hand in a gripe'))[0]).toBe('create_issue');
});

it('a query whose vector takes too long is answered by words', async () => {
  // Nothing but the vector takes time, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let isLate = false;
  const embed: EmbedFunction = async (texts, purpose) => {
    if (purpose !== 'query' || !isLate) return texts.map(vectorOf);
    void vi.advanceTimersByTimeAsync(20);
    return new Promise(() => {});
  };
  const made = processorWith({ embed, timeout: 20 });
  await made.ready();
  isLate = true;
  expect(await made.found('weather')).toEqual(['get_weather']);
  expect(made.events.filter(({ type }) => type === 'scorer-failed')).toHaveLength(1);
});

it.each<[embedder: unknown, message: RegExp]>([
  ['openai/text-embedding-3-small', /search\.embedder.*ModelRouterEmbeddingModel/],
  [{}, /search\.embedder/],
  [{ embed: open, share: 1 }, /search\.embedder\.share.*above 0 and below 1/],
  [{ embed: open, shar: 0.3 }, /share/],
  [{ embed: open, cache: {} }, /search\.embedder\.cache/],
  [{ embed: open, cache: jsonCache() }, /search\.embedder\.model/],
])('wrong settings are refused: %j', (embedder, message) => {
  expect(() => processorWith(embedder as never)).toThrow(message);
});

it('it is refused beside a scorer, or a source', async () => {
  const source = await memorySource(toolRecord(issue()));
  expect(() => processorWith(open, [issue()], { search: { scorer: bm25Scorer() } })).toThrow(/search\.embedder/);
  expect(() => processorWith(open, [], { tools: source })).toThrow(/search\.embedder/);
});
