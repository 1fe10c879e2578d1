import {
  isDeferred,
  type ModelCall,
  type ModelReply,
  type Script,
  type SuggestedTool,
  suggestedTools,
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
  /** @default 'call_tool' */
  readonly callTool?: string;
  /** @default 'execute_typescript' */
  readonly programTool?: string;
}

/**
 * A script that behaves as a plain-minded language model. For each need it calls a tool that it has, where the name of one
 * has words of the search and its required parameters are known. Else it searches, takes the results from the top, loads
 * one where it is not there yet, or calls it with `call_tool` or in a program. It names no tool but the meta-tools; everything else is read
 * from the prompt and the tools it received.
 */
export function taskScript(needs: readonly Need[], options: TaskScriptOptions = {}): Script {
  const { searchTool = 'search_tools', loadTool = 'load_tool', callTool = 'call_tool' } = options;
  const { programTool = 'execute_typescript' } = options;
  const own = [searchTool, loadTool];

  function next(call: ModelCall): ModelReply {
    const history = toolResults(call.prompt.slice(call.prompt.findLastIndex((message) => message.role === 'user') + 1));
    let position = 0;
    for (const need of needs) {
      const answer = history.findIndex((result, at) => at >= position && isAnswer(result));
      if (answer < 0) return serve(need, history.slice(position), call);
      position = answer + 1;
    }
    return { text: `Done. ${textOf(history.findLast(isAnswer)?.value)}` };
  }

  /** What to do next for a need, after what was done for it. */
  function serve(need: Need, since: readonly ToolResult[], call: ModelCall): ModelReply {
    const search = since.find(({ toolName }) => toolName === searchTool);
    const loads = since.filter(({ toolName }) => toolName === loadTool).length;
    const found: readonly FoundTool[] = search ? resultsIn(search.value) : alike(toolsAtHand(call), need.search);
    for (const [index, { name, parameters, signature, declaration }] of found.entries()) {
      const tool = call.tools.find((candidate) => candidate.name === name);
      const declared = declaration === undefined || tool ? undefined : readDeclaration(declaration);
      if (declared) {
        const known = fill(declared.schema, need.values);
        const code = `return await ${declared.name}(${JSON.stringify(known)});`;
        if (known) return { toolCalls: [{ toolName: programTool, input: { code } }] };
        continue;
      }
      const told = parameters ?? schemaIn(signature);
      const input = fill(tool?.type === 'function' ? tool.inputSchema : told, need.values);
      if (tool && input) return { toolCalls: [{ toolName: name, input }] };
      if (tool) continue;
      if (call.tools.some((candidate) => candidate.name === callTool)) {
        if (input) return { toolCalls: [{ toolName: callTool, input: { toolName: name, arguments: input } }] };
      } else if (loads <= index) {
        return { toolCalls: [{ toolName: loadTool, input: { toolName: name } }] };
      }
    }
    if (search) return { text: `I found no tool for "${need.search}".` };
    return { toolCalls: [{ toolName: searchTool, input: { query: need.search } }] };
  }

  function isAnswer({ toolName }: ToolResult): boolean {
    return !own.includes(toolName);
  }

  return next;
}

/** The tools that the model was sent, and those that the system text suggests. What native mode found for another need is neither. */
function toolsAtHand({ tools, prompt }: ModelCall): readonly SuggestedTool[] {
  return [...tools.filter((tool) => !isDeferred(tool)).map(({ name }) => ({ name })), ...suggestedTools(prompt)];
}

/** The tools whose names have words of a text, those with most of them first. */
function alike(tools: readonly SuggestedTool[], text: string): readonly SuggestedTool[] {
  const wanted = new Set(text.toLowerCase().split(/\W+/));
  const shared = ({ name }: SuggestedTool): number =>
    [...new Set(name.toLowerCase().split(/[^a-z0-9]+/))].filter((word) => wanted.has(word)).length;
  return tools.filter((tool) => shared(tool) > 0).sort((one, other) => shared(other) - shared(one));
}

/** The values that the schema has a place for; undefined when there is none, or when a required one is unknown. */
export function fill(schema: unknown, values: Need['values']): Record<string, unknown> | undefined {
  if (schema === undefined) return undefined;
  const { properties = {}, required = [] } = schema as { properties?: Record<string, unknown>; required?: string[] };
  if (!required.every((name) => Object.hasOwn(values, name))) return undefined;
  const known = Object.entries(values);
  const fitting = known.filter(([name]) => Object.hasOwn(properties, name));
  return known.length > 0 && fitting.length === 0 ? undefined : Object.fromEntries(fitting);
}

interface FoundTool extends SuggestedTool {
  /** Of a tool whose schema is not told. */
  readonly signature?: string;
  /** In TypeScript, where it is called in a program. */
  readonly declaration?: string;
}

function resultsIn(searchResult: unknown): readonly FoundTool[] {
  // In native mode, Anthropic's references to tools.
  if (Array.isArray(searchResult)) {
    return searchResult.flatMap((part) => {
      const name = (part as { providerOptions?: { anthropic?: { toolName?: string } } }).providerOptions?.anthropic
        ?.toolName;
      return name === undefined ? [] : [{ name }];
    });
  }
  const { results = [] } = (searchResult ?? {}) as { results?: FoundTool[] };
  return results;
}

/** What a signature such as `(path, content)` says of the parameters: their names. */
function schemaIn(signature: string | undefined): object | undefined {
  const names = signature?.match(/(?<=[(,]\s*)[\w-]+/g);
  return names ? { properties: Object.fromEntries(names.map((name) => [name, {}])) } : undefined;
}

/** The name of a function that is declared as `declare function name(input: { a: string; b?: number }): …`, and its parameters. */
function readDeclaration(declaration: string): { readonly name: string; readonly schema: object } | undefined {
  const plain = declaration.replace(/\/\*[\s\S]*?\*\//g, '');
  const start = /function ([\w$]+)\(input\??: \{/.exec(plain);
  if (!start?.[1]) return undefined;
  let depth = 1;
  let names = '';
  for (const character of plain.slice(start.index + start[0].length)) {
    if (character === '}') depth -= 1;
    if (depth === 0) break;
    if (depth === 1) names += character;
    if (character === '{') depth += 1;
  }
  const fields = [...names.matchAll(/(?:^|;)\s*"?([\w$-]+)"?(\??):/g)];
  return {
    name: start[1],
    schema: {
      properties: Object.fromEntries(fields.map(([, name = '']) => [name, {}])),
      required: fields.flatMap(([, name = '', optional]) => (optional === '' ? [name] : [])),
    },
  };
}

/** The text of a tool's result: of an MCP result its text parts, of anything else its JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { success, result } = (value ?? {}) as { success?: unknown; result?: unknown };
  // What a program returned.
  if (success === true && result !== undefined) return textOf(result);
  const parts = (value as { content?: unknown } | null)?.content ?? value;
  if (Array.isArray(parts)) {
    const texts = parts
      .map((part) => (part as { text?: unknown } | null)?.text)
      .filter((text) => typeof text === 'string');
    if (texts.length > 0) return texts.join('\n');
  }
  return JSON.stringify(value) ?? '';
}
