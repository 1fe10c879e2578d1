import {
  type ModelCall,
  type ModelReply,
  type Script,
  type ToolResult,
  toolResults,
} from '../../test/support/scripted-model.ts';

/** One thing to do: what to search for, and what is known, by the name of the parameter. */
export interface Need {
  readonly search: string;
  readonly values: Readonly<Record<string, unknown>>;
}

interface TaskScriptOptions {
  /** @default 'search_tools' */
  readonly searchTool?: string;
  /** @default 'load_tool' */
  readonly loadTool?: string;
}

/**
 * A script that behaves as a plain-minded language model: for each need it searches, takes the results from the top,
 * loads one where it is not there yet, reads its input schema, and calls the first tool whose required parameters it
 * knows. It names no tool but the meta-tools; everything else is read from the prompt and the tools it received.
 */
export function taskScript(needs: readonly Need[], options: TaskScriptOptions = {}): Script {
  const { searchTool = 'search_tools', loadTool = 'load_tool' } = options;

  function next(call: ModelCall): ModelReply {
    const history = toolResults(call.prompt.slice(call.prompt.findLastIndex((message) => message.role === 'user') + 1));
    const searches = history.flatMap((result, position) => (result.toolName === searchTool ? [position] : []));

    for (const [number, need] of needs.entries()) {
      const start = searches[number];
      if (start === undefined) return { toolCalls: [{ toolName: searchTool, input: { query: need.search } }] };
      const since = history.slice(start, searches[number + 1]);
      const reply = serve(need, since, call);
      if (reply) return reply;
    }
    return { text: `Done. ${textOf(history.findLast(isAnswer)?.value)}` };
  }

  /** What to do next for a need; undefined when a tool has answered. */
  function serve(need: Need, [search, ...later]: readonly ToolResult[], call: ModelCall): ModelReply | undefined {
    if (later.some(isAnswer)) return undefined;
    const loads = later.filter((result) => result.toolName === loadTool).length;
    for (const [index, name] of namesIn(search?.value).entries()) {
      const tool = call.tools.find((candidate) => candidate.name === name);
      if (tool?.type === 'function') {
        const input = fill(tool.inputSchema, need.values);
        if (input) return { toolCalls: [{ toolName: name, input }] };
      } else if (loads <= index) {
        return { toolCalls: [{ toolName: loadTool, input: { toolName: name } }] };
      }
    }
    return { text: `I found no tool for "${need.search}".` };
  }

  function isAnswer(result: ToolResult): boolean {
    return result.toolName !== searchTool && result.toolName !== loadTool;
  }

  return next;
}

/** The values that the schema has a place for; undefined when there is none, or when a required one is unknown. */
export function fill(schema: unknown, values: Need['values']): Record<string, unknown> | undefined {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, unknown>; required?: string[] };
  if (!required.every((name) => Object.hasOwn(values, name))) return undefined;
  const known = Object.entries(values);
  const fitting = known.filter(([name]) => Object.hasOwn(properties, name));
  return known.length > 0 && fitting.length === 0 ? undefined : Object.fromEntries(fitting);
}

function namesIn(searchResult: unknown): string[] {
  const { results = [] } = (searchResult ?? {}) as { results?: { name: string }[] };
  return results.map((result) => result.name);
}

/** The text of a tool's result: of an MCP result its text parts, of anything else its JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts = (value as { content?: unknown } | null)?.content ?? value;
  if (Array.isArray(parts)) {
    const texts = parts
      .map((part) => (part as { text?: unknown } | null)?.text)
      .filter((text) => typeof text === 'string');
    if (texts.length > 0) return texts.join('\n');
  }
  return JSON.stringify(value) ?? '';
}
