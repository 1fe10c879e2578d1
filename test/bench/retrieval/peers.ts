import { generateText, jsonSchema, type ToolSet, tool, toolSearch } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import MiniSearch from 'minisearch';
import { answer, type Contestant, RESULTS, ranked } from './measure.ts';

/**
 * Eino's tool search (cloudwego/eino, adk/middlewares/dynamictool/toolsearch), written from its rules: per keyword the
 * best of part of the name 10, inside a part 5, inside the name 3, inside the description 2; summed; ties by name.
 * White space separates keywords, punctuation stays, and `+word` has to match.
 */
export const einoTiers: Contestant = {
  name: 'eino',
  async build(tools) {
    const entries = tools.map(({ id, description }) => ({
      name: id,
      nameText: id.toLowerCase(),
      parts: partsOf(id),
      description: description.toLowerCase(),
    }));
    entries.sort((first, second) => (first.name < second.name ? -1 : 1));

    return async (query) => {
      const keywords = query
        .toLowerCase()
        .split(/\s+/)
        .map((word) => ({ word: word.replace(/^\+/, ''), isRequired: word.startsWith('+') }))
        .filter(({ word }) => word !== '');
      return ranked(
        entries.map(({ name, nameText, parts, description }) => {
          let score = 0;
          for (const { word, isRequired } of keywords) {
            const earned = tier(word, nameText, parts, description);
            if (isRequired && earned === 0) return { name, score: 0 };
            score += earned;
          }
          return { name, score };
        }),
      );
    };
  },
};

function tier(word: string, nameText: string, parts: readonly string[], description: string): number {
  if (parts.includes(word)) return 10;
  if (parts.some((part) => part.includes(word))) return 5;
  if (nameText.includes(word)) return 3;
  return description.includes(word) ? 2 : 0;
}

/** At underscores, before a capital after a small letter, and before the last capital of several that a small letter follows. */
function partsOf(name: string): readonly string[] {
  const broken = name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1_').replace(/([^_])(?=\p{Lu}\p{Ll})/gu, '$1_');
  return broken
    .split('_')
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}

const K1 = 1.5;
const B = 0.75;
const DELTA = 0.5;

/**
 * Haystack's SearchableToolset (deepset-ai/haystack, haystack/tools/searchable_toolset.py), written from its rules:
 * BM25L with the defaults of InMemoryDocumentStore (since its pull request 10814) over the text "name description", in
 * runs of letters, digits and underscores. A name with underscores is one word.
 */
export const haystackBm25l: Contestant = {
  name: 'haystack',
  async build(tools) {
    const documents = tools.map(({ id, description }) => {
      const words = wordsOf(`${id} ${description}`);
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      return { name: id, counts, length: words.length };
    });
    const containing = new Map<string, number>();
    for (const { counts } of documents)
      for (const word of counts.keys()) containing.set(word, (containing.get(word) ?? 0) + 1);
    // The store's running average counts one document too many.
    const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / (documents.length + 1);

    return async (query) => {
      const weights = [...new Set(wordsOf(query))].flatMap((word) => {
        const count = containing.get(word);
        return count === undefined ? [] : [{ word, idf: Math.log((documents.length + 1) / (count + 0.5)) }];
      });
      return ranked(
        documents.map(({ name, counts, length }) => {
          let score = 0;
          for (const { word, idf } of weights) {
            const frequency = (counts.get(word) ?? 0) / (1 - B + (B * length) / averageLength) + DELTA;
            score += (idf * (1 + K1) * frequency) / (K1 + frequency);
          }
          return { name, score };
        }),
      );
    };
  },
};

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Not the name of any tool of the sets. */
const SEARCH = 'bench__tool_search';

/**
 * `toolSearch` of AI SDK 7 itself. Only a generation gives it the deferred tools, so each query is one: a model that
 * calls the search at once. The time is that of the call alone.
 */
export const aiSdk: Contestant = {
  name: 'ai-sdk',
  async build(tools) {
    const all: ToolSet = { [SEARCH]: toolSearch({ maxResults: RESULTS }) };
    for (const { id, description, inputSchema } of tools) {
      all[id] = tool({ description, inputSchema: jsonSchema(inputSchema), deferLoading: true });
    }
    return async (query) => {
      let milliseconds = 0;
      const { toolResults } = await generateText({
        model: modelThatSearches(query),
        tools: all,
        prompt: query,
        onToolExecutionEnd: ({ toolExecutionMs }) => {
          milliseconds = toolExecutionMs;
        },
      });
      const output = toolResults[0]?.output as { tools: readonly { name: string }[] } | undefined;
      if (!output) throw new Error(`The AI SDK did not search for "${query}".`);
      return { ...answer(output.tools.map(({ name }) => name)), milliseconds };
    };
  },
};

function modelThatSearches(query: string): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: 'tool-call', toolCallId: 'search', toolName: SEARCH, input: JSON.stringify({ query }) }],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
      },
      warnings: [],
    },
  });
}

/** MiniSearch with every default, over name and description. */
export const minisearchDefaults: Contestant = {
  name: 'minisearch',
  async build(tools) {
    const engine = new MiniSearch({ fields: ['id', 'description'] });
    engine.addAll(tools);
    return async (query) => answer(engine.search(query).map(({ id }) => id as string));
  },
};
