import { generateText, jsonSchema, type ToolSet, tool, toolSearch } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { answer, type Contestant, RESULTS } from '../contestant.ts';

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
