// Other tool searches: two written from their rules, two run as they are.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generateText, jsonSchema, type ToolSet, tool, toolSearch } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import MiniSearch from 'minisearch';
import { type Answer, answer, type Contestant, RESULTS } from './measure.ts';
import type { LabelledTool } from './sets.ts';

/** Best first; equal scores keep the order of the tools. Scores of 0 and below are left out. */
function ranked<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  scoreOf: (tool: Tool) => number,
): Answer {
  const scored = tools.map((one) => ({ name: one.name, score: scoreOf(one) })).filter(({ score }) => score > 0);
  return answer(scored.sort((one, other) => other.score - one.score).map(({ name }) => name));
}

/**
 * Eino's tool search (cloudwego/eino, adk/middlewares/dynamictool/toolsearch), written from its rules: per keyword the
 * best of part of the name 10, inside a part 5, inside the name 3, inside the description 2; summed; ties by name.
 * White space separates keywords, punctuation stays, and `+word` has to match.
 */
export const einoTiers: Contestant = {
  name: 'eino',
  async build(tools) {
    const entries = tools.map(({ id, description }) => ({
      ...{ name: id, lower: id.toLowerCase(), description: description.toLowerCase() },
      // At underscores, before a capital after a small letter, and before the last of several capitals.
      parts: id
        .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1_')
        .replace(/([^_])(?=\p{Lu}\p{Ll})/gu, '$1_')
        .split('_')
        .filter((part) => part !== '')
        .map((part) => part.toLowerCase()),
    }));
    entries.sort((first, second) => (first.name < second.name ? -1 : 1));
    const earned = (word: string, { lower, parts, description }: (typeof entries)[number]): number => {
      if (parts.includes(word)) return 10;
      if (parts.some((part) => part.includes(word))) return 5;
      if (lower.includes(word)) return 3;
      return description.includes(word) ? 2 : 0;
    };
    return async (query) => {
      const keywords = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word.replace(/^\+/, '') !== '');
      return ranked(entries, (entry) => {
        const scores = keywords.map((word) => earned(word.replace(/^\+/, ''), entry));
        const isMissing = keywords.some((word, at) => word.startsWith('+') && scores[at] === 0);
        return isMissing ? 0 : scores.reduce((sum, score) => sum + score, 0);
      });
    };
  },
};

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
    const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
    const documents = tools.map(({ id, description }) => {
      const words = wordsOf(`${id} ${description}`);
      return { name: id, counts: countsOf(words), length: words.length };
    });
    const containing = countsOf(documents.flatMap(({ counts }) => [...counts.keys()]));
    // The store's running average counts one document too many.
    const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / (documents.length + 1);
    return async (query) => {
      const known = [...new Set(wordsOf(query))].filter((word) => containing.has(word));
      const idfs = known.map((word) => Math.log((documents.length + 1) / ((containing.get(word) ?? 0) + 0.5)));
      return ranked(documents, ({ counts, length }) =>
        known.reduce((score, word, at) => {
          const frequency = (counts.get(word) ?? 0) / (1 - B + (B * length) / averageLength) + DELTA;
          return score + (idfs[at]! * (1 + K1) * frequency) / (K1 + frequency);
        }, 0),
      );
    };
  },
};

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
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
    const deferred = ({ id, description, inputSchema }: LabelledTool) => {
      return [id, tool({ description, inputSchema: jsonSchema(inputSchema), deferLoading: true })];
    };
    const all: ToolSet = Object.fromEntries([[SEARCH, toolSearch({ maxResults: RESULTS })], ...tools.map(deferred)]);
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
      usage: { inputTokens: {}, outputTokens: {} } as never,
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

let running: ChildProcess | undefined;

/** Ratel itself, of PyPI, by its BM25: ratel.py says how to install it. The time of a search is that of a process beside. */
export const ratel: Contestant = {
  name: 'ratel',
  async build(tools) {
    const script = fileURLToPath(new URL('ratel.py', import.meta.url));
    running?.kill();
    const child = spawn(process.env['PYTHON'] ?? 'python3', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    running = child;
    child.once('exit', (code) => {
      if (code) throw new Error(`ratel.py ended with exit code ${code}: its head says what it needs.`);
    });
    // A build that is not asked anything ends with its catalog unread.
    child.stdin.on('error', () => {});
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const send = (value: unknown): void => void child.stdin.write(`${JSON.stringify(value)}\n`);
    send(tools.map(({ id, description, inputSchema }) => ({ id, description, inputSchema })));
    return async (query) => {
      send(query);
      const { value } = await lines.next();
      return answer(JSON.parse(value as string) as readonly string[]);
    };
  },
  end() {
    running?.kill();
  },
};
