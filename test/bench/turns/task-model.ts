import { asRecord } from '../../../src/util/record.ts';
import {
  type ModelCall,
  type ModelReply,
  type Script,
  shownTools,
  suggestedTools,
  toolResults,
} from '../../support/scripted-model.ts';
import type { LabelledQuery } from '../retrieval/sets.ts';

/** A labelled query, with the user's words for it where the set has them. */
export type Task = LabelledQuery & { readonly task?: string };

/**
 * A model that knows which tools fit when it reads of them, and nothing else. It calls one that it is sent; else it takes
 * the first that fits from the results of its searches; else it searches, once, with the query of the label. It gives up
 * where nothing that fits was found.
 *
 * @param executed - the tools that ran so far, by their ids.
 * @param inputOf - an input that a tool accepts.
 */
export function taskModel(task: Task, executed: readonly string[], inputOf: (name: string) => unknown): Script {
  return (call) => {
    const needs = needsOf(task).filter((group) => !group.some((name) => executed.includes(name)));
    if (needs.length === 0) return { text: 'Done.' };
    const shown = new Set(shownTools(call).map(({ name }) => name));
    const refused = new Set(toolResults(call.prompt).map(({ toolName }) => toolName));
    for (const name of needs.flat()) {
      if (shown.has(name) && !refused.has(name)) return { toolCalls: [{ toolName: name, input: inputOf(name) }] };
    }
    return fromResults(new Set(needs.flat()), call, inputOf) ?? search(task, call);
  };
}

/** The groups of interchangeable tools that a task needs. */
export function needsOf({ groups, relevant }: Task): readonly (readonly string[])[] {
  return groups ?? relevant.map((name) => [name]);
}

/** Calls or loads the first tool of a result that fits, unless that was tried. */
function fromResults(
  needed: ReadonlySet<string>,
  call: ModelCall,
  inputOf: (name: string) => unknown,
): ModelReply | undefined {
  const history = toolResults(call.prompt);
  const tried = history.filter(({ toolName }) => toolName === 'load_tool' || toolName === 'call_tool').length;
  if (tried > needed.size * 2) return undefined;
  const searches = history.filter(({ toolName }) => toolName === 'search_tools');
  const found = [
    ...suggestedTools(call.prompt),
    ...searches.flatMap(({ value }) => asRecord(value)?.['results'] ?? []),
  ];
  const toolName = found.map((result) => String(asRecord(result)?.['name'])).find((name) => needed.has(name));
  if (toolName === undefined) return undefined;
  if (call.tools.some(({ name }) => name === 'call_tool')) {
    return {
      toolCalls: [{ toolName: 'call_tool', input: { toolName, arguments: inputOf(toolName) } }],
    };
  }
  return { toolCalls: [{ toolName: 'load_tool', input: { toolName } }] };
}

function search({ query }: Task, { prompt, tools }: ModelCall): ModelReply {
  const hasSearched = toolResults(prompt).some(({ toolName }) => toolName === 'search_tools');
  if (hasSearched || !tools.some(({ name }) => name === 'search_tools')) return { text: 'I found no tool for that.' };
  return { toolCalls: [{ toolName: 'search_tools', input: { query } }] };
}
