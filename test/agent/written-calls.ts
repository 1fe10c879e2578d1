import { call, load } from '../support/agent.ts';
import type { ModelReply } from '../support/scripted-model.ts';

export type Calls = NonNullable<ModelReply['toolCalls']>;

/** The calls of a step: "+a" loads a, "+a,b" both, "?a,b" selects them, "-a" unloads a, "a" calls a; "+a b" does two things. */
export function callsOf(step: string): Calls {
  return step.split(' ').map((word) => {
    const names = word.slice(1);
    if (word[0] === '?') return call('search_tools', { query: `select:${names}` });
    if (word[0] === '-') return call('unload_tool', { toolNames: [names] });
    if (word[0] !== '+') return call(word);
    return names.includes(',') ? call('load_tool', { toolNames: names.split(',') }) : load(names);
  });
}
