import type { AnthropicBlock, AnthropicMessage } from './fake-anthropic.ts';

export function blocksOf(message: AnthropicMessage | undefined): readonly AnthropicBlock[] {
  return message === undefined || typeof message.content === 'string' ? [] : message.content;
}

/** The tools that a result refers to: of a search by the service, or in a tool's own result. */
export function references({ type, content }: AnthropicBlock): string[] {
  if (type !== 'tool_result' && type !== 'tool_search_tool_result') return [];
  const found = content as { tool_references?: AnthropicBlock[] } | AnthropicBlock[] | string | undefined;
  const parts = Array.isArray(found) ? found : typeof found === 'object' ? (found.tool_references ?? []) : [];
  return parts.flatMap((part) => (part?.type === 'tool_reference' ? [part.tool_name ?? ''] : []));
}

/** Such as `['opus', 4.8]` of `claude-opus-4-8`. */
export function familyOf(model: string): readonly [family: string, version: number] {
  const found = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  return [found?.[1] ?? '', Number(`${found?.[2] ?? 0}.${found?.[3] ?? 0}`)];
}
