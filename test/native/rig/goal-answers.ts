// What models answer to the actions that they decided for.
import type { ModelReply } from '../../support/scripted-model.ts';
import {
  type AnthropicBlock,
  functionCall,
  hostedSearch,
  message,
  type OpenAIBody,
  type OpenAIItem,
  openaiFunctions,
  serverSearch,
  text,
  toolSearchCall,
  toolUse,
} from '../fakes/fake-provider.ts';
import { type Action, type Call, isFinding, type Sent } from './goals.ts';

type Called = Exclude<Action, { readonly type: 'say' | 'raw' }>;

const INPUT = { text: 'x' };

/** An action as a call of a function. */
function callOf(action: Called): Call {
  if (action.type === 'search') return { name: action.tool, input: { query: action.query } };
  if (action.type === 'load') return { name: 'load_tool', input: { toolName: action.name } };
  const { type, name, input = INPUT } = action;
  if (type === 'program') {
    const code = `return await external(${JSON.stringify(name)}, ${JSON.stringify(input)})`;
    return { name: 'execute_typescript', input: { code } };
  }
  return type === 'call' ? { name, input } : { name: 'call_tool', input: { toolName: name, arguments: input } };
}

/** What Anthropic answers. Its own search finds a tool in the same response, and the model calls it there. */
export function anthropicAnswer(action: Action, sent: Sent): readonly AnthropicBlock[] {
  const id = sent.index + 1;
  if (action.type === 'raw') return action.content as AnthropicBlock[];
  if (action.type === 'say') return [text(action.text)];
  const { name, input } = callOf(action);
  if (action.type !== 'search' || !name.startsWith('tool_search_tool')) return [toolUse(id, name, input)];
  const found = action.wanted.filter((wanted) => sent.deferred.includes(wanted));
  const search = serverSearch(id, found, String(action.query), name.endsWith('regex') ? 'regex' : 'bm25');
  if (found[0] === undefined) return [...search, text('not found')];
  return [...search, isFinding(sent) ? text('done') : toolUse(id, found[0], INPUT)];
}

/** What OpenAI answers, of either service. */
export function openaiAnswer(action: Action, sent: Sent): readonly OpenAIItem[] {
  const id = `${sent.index + 1}${sent.kind}`;
  const body = sent.body as OpenAIBody;
  if (action.type === 'raw') return action.content as OpenAIItem[];
  if (action.type === 'say') return [message(id, action.text)];
  const { name, input } = callOf(action);
  if (action.type !== 'search' || name !== 'tool_search' || sent.kind === 'chat') {
    const space = body.tools?.find((tool) => tool.tools?.some((inner) => inner.name === name));
    return [functionCall(id, name, input, space?.name)];
  }
  const isHosted = body.tools?.some((tool) => tool.type === 'tool_search' && tool.execution !== 'client');
  if (!isHosted) return [toolSearchCall({ id, callId: id, args: input })];
  const [first] = openaiFunctions(body).filter((one) => action.wanted.includes(one.name ?? ''));
  const search = hostedSearch(id, body, action.wanted);
  if (first?.name === undefined) return [...search, message(id, 'not found')];
  return [...search, isFinding(sent) ? message(id, 'done') : functionCall(id, first.name, INPUT)];
}

/** What a scripted model answers. */
export function scriptedAnswer(action: Action): ModelReply {
  if (action.type === 'say') return { text: action.text };
  const { name, input } = callOf(action as Called);
  return { toolCalls: [{ toolName: name, input }] };
}
