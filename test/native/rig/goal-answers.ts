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
import { type Action, isFinding, type Sent } from './goals.ts';

/** What Anthropic answers. Its own search finds a tool in the same response, and the model calls it there. */
export function anthropicAnswer(action: Action, sent: Sent, index: number): AnthropicBlock[] {
  const id = index + 1;
  switch (action.type) {
    case 'search': {
      const { query, tool, wanted } = action;
      if (!tool.startsWith('tool_search_tool')) return [toolUse(id, tool, { query })];
      const found = wanted.filter((name) => sent.deferred.includes(name));
      const search = serverSearch(id, found, String(query), tool.endsWith('regex') ? 'regex' : 'bm25');
      const [first] = found;
      if (first === undefined) return [...search, text('not found')];
      return [...search, isFinding(sent) ? text('done') : toolUse(id, first, input)];
    }
    case 'load':
      return [toolUse(id, 'load_tool', { toolName: action.name })];
    case 'call':
      return [toolUse(id, action.name, action.input ?? input)];
    case 'bridge':
      return [toolUse(id, 'call_tool', bridged(action))];
    case 'say':
      return [text(action.text)];
  }
}

const input = { text: 'x' };

const bridged = ({ name, input: given = input }: Extract<Action, { type: 'bridge' }>): object => ({
  toolName: name,
  arguments: given,
});

/** What OpenAI answers, of either service. */
export function openaiAnswer(action: Action, sent: Sent, body: OpenAIBody, index: number): OpenAIItem[] {
  const id = `${index + 1}${sent.kind}`;
  switch (action.type) {
    case 'search': {
      if (action.tool !== 'tool_search' || sent.kind === 'chat') {
        return [functionCall(id, action.tool, { query: action.query })];
      }
      const isHosted = body.tools?.some((tool) => tool.type === 'tool_search' && tool.execution !== 'client');
      if (!isHosted) return [toolSearchCall({ id, callId: id, args: { query: action.query } })];
      const found = openaiFunctions(body).filter(({ name = '' }) => action.wanted.includes(name));
      const [first] = found;
      const search = hostedSearch(id, body, action.wanted);
      if (first?.name === undefined) return [...search, message(id, 'not found')];
      return [...search, isFinding(sent) ? message(id, 'done') : functionCall(id, first.name, input)];
    }
    case 'load':
      return [functionCall(id, 'load_tool', { toolName: action.name })];
    case 'call':
      return [functionCall(id, action.name, action.input ?? input, namespaceOf(body, action.name))];
    case 'bridge':
      return [functionCall(id, 'call_tool', bridged(action))];
    case 'say':
      return [message(id, action.text)];
  }
}

function namespaceOf({ tools = [] }: OpenAIBody, name: string): string | undefined {
  return tools.find((tool) => tool.type === 'namespace' && tool.tools?.some((inner) => inner.name === name))?.name;
}

export function scriptedAnswer(action: Action): ModelReply {
  switch (action.type) {
    case 'search':
      return { toolCalls: [{ toolName: action.tool, input: { query: action.query } }] };
    case 'load':
      return { toolCalls: [{ toolName: 'load_tool', input: { toolName: action.name } }] };
    case 'call':
      return { toolCalls: [{ toolName: action.name, input: action.input ?? input }] };
    case 'bridge':
      return { toolCalls: [{ toolName: 'call_tool', input: bridged(action) }] };
    case 'say':
      return { text: action.text };
  }
}
