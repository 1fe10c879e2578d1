import fc from 'fast-check';

export interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly providerExecuted?: boolean;
  readonly providerOptions?: { readonly openai: { readonly itemId: string } };
}

export interface Message {
  readonly role: string;
  readonly content: unknown;
}

const names = fc.uniqueArray(fc.constantFrom('get_weather', 'send_email', 'gone'));
const json = (value: unknown): object => ({ type: 'json', value });
const odd = fc.constantFrom(
  { type: 'error-text', value: 'no' },
  { type: 'execution-denied', reason: 'no' },
  json(null),
);

interface Exchange {
  /** A provider's own may have no result, and then has to go. */
  readonly isAnswered?: boolean;
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly isHosted: boolean;
}

const definition = (name: string): object => ({ type: 'function', name, parameters: {} });
/** Exchanges of tools with these names, whose results hold what was found in this form, or something odd. */
const exchanges = (
  toolNames: readonly string[],
  input: unknown,
  isHosted: boolean,
  found: (names: readonly string[]) => unknown,
): fc.Arbitrary<Exchange> =>
  fc.record({
    toolName: fc.constantFrom(...toolNames),
    input: fc.constant(input),
    output: fc.oneof(
      names.map((all) => json(found(all))),
      odd,
    ),
    isHosted: fc.constant(isHosted),
    isAnswered: fc.boolean(),
  });
const exchange: fc.Arbitrary<Exchange> = fc.oneof(
  exchanges(['search_tools', 'load_tool'], { query: 'x' }, false, (loaded) => ({ results: [], message: '', loaded })),
  exchanges(['tool_search_tool_bm25', 'tool_search_tool_regex'], { query: 'x' }, true, (found) =>
    found.map((toolName) => ({ type: 'tool_reference', toolName })),
  ),
  exchanges(['tool_search'], { arguments: { query: 'x' }, call_id: 'call_1' }, false, (loaded) => ({
    ...{ tools: loaded.map(definition), results: [], loaded },
  })),
  exchanges(['tool_search'], { arguments: { paths: [] }, call_id: null }, true, (found) => ({
    tools: found.map(definition),
  })),
  fc.record({
    toolName: fc.constantFrom('get_weather', 'other_tool'),
    input: fc.anything(),
    output: odd,
    isHosted: fc.constant(false),
  }),
);

/** Turns of several exchanges each, as Mastra puts them into prompts. */
const turnsOf = (exchanges: fc.Arbitrary<Exchange>): fc.Arbitrary<Message[]> =>
  fc.array(fc.array(exchanges, { minLength: 1, maxLength: 3 }), { maxLength: 4 }).map((turns) =>
    turns.flatMap((exchanges, at): Message[] => {
      const call = ({ toolName, input }: Exchange, n: number): Part => ({
        ...{ type: 'tool-call', toolCallId: `${at}-${n}`, toolName, input },
      });
      const result = ({ toolName, output }: Exchange, n: number): Part => ({
        ...{ type: 'tool-result', toolCallId: `${at}-${n}`, toolName, output },
      });
      const called = exchanges.flatMap((one, n) =>
        one.isHosted && one.isAnswered === true ? [call(one, n), result(one, n)] : [call(one, n)],
      );
      const answered = exchanges.flatMap((one, n) => (one.isHosted ? [] : [result(one, n)]));
      return [
        { role: 'user', content: [{ type: 'text', text: `${at}` }] },
        { role: 'assistant', content: called },
        ...(answered.length > 0 ? [{ role: 'tool', content: answered }] : []),
        { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
      ];
    }),
  );

export const conversation: fc.Arbitrary<Message[]> = turnsOf(exchange);

/** The same as an OpenAI model answers that reasons before it calls: each part with the id of its item. */
export const reasoned: fc.Arbitrary<Message[]> = turnsOf(
  exchange.filter(({ toolName }) => !toolName.startsWith('tool_search_tool')),
).map((messages) =>
  messages.map((message, at) => {
    const { role, content } = message;
    const parts = content as readonly Part[];
    if (role !== 'assistant') return message;
    const item = (part: Part, id: string): Part => ({ ...part, providerOptions: { openai: { itemId: id } } });
    const isHosted = ({ toolCallId }: Part): boolean =>
      parts.filter((part) => part.toolCallId === toolCallId).length > 1;
    const items = parts.map((part, n) => ({
      ...item(part, `item_${at}_${n}`),
      ...(part.type === 'tool-call' && isHosted(part) ? { providerExecuted: true } : {}),
    }));
    return { role, content: [item({ type: 'reasoning' }, `rs_${at}`), ...items] };
  }),
);
