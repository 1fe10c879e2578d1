import { mapToolParts, type Prompt, type ToolPart, toolPartsIn } from '../conversation/prompt.ts';
import { parseJson } from '../meta-tools/meta-tool.ts';
import { asRecord } from '../util/record.ts';

/** The key under which a call keeps what the model wrote, where providers keep what they note beside a call. */
const NOTE = 'mastra-tool-search';

/** What a call keeps of the one that the model wrote. */
export function noteOf(toolName: string, input: string): Readonly<Record<string, unknown>> {
  return { [NOTE]: { toolName, input } };
}

/** Whether a call became another one: another processor's, in front of this one. */
export function isNoted({ providerMetadata }: { readonly providerMetadata?: unknown }): boolean {
  return asRecord(providerMetadata)?.[NOTE] !== undefined;
}

/**
 * The prompt with the calls that the model wrote, in place of those that they became: it reads what it wrote, and the
 * beginning of the prompt stays the same. A call without a note, as of load mode, becomes one of the bridge.
 *
 * @param isBridged - whether a tool is called through the bridge.
 */
export function asWritten(prompt: Prompt, bridge: string, isBridged: (name: string) => boolean): Prompt {
  const written = new Map<string, ToolPart>();
  for (const part of toolPartsIn(prompt)) {
    if (part.type !== 'tool-call') continue;
    const call = writtenCall(part, bridge, isBridged);
    if (call) written.set(part.toolCallId, call);
  }
  if (written.size === 0) return prompt;
  return mapToolParts(prompt, (part) => {
    const call = written.get(part.toolCallId);
    if (!call) return part;
    if (part.type === 'tool-call') return call;
    const { toolName, input } = call;
    return { ...withoutNote(part), toolName, ...('input' in part ? { input } : {}) };
  });
}

function writtenCall(part: ToolPart, bridge: string, isBridged: (name: string) => boolean): ToolPart | undefined {
  const { toolName, input } = part;
  if ((part as { readonly providerExecuted?: unknown }).providerExecuted === true) return undefined;
  const note = asRecord(asRecord(part.providerOptions)?.[NOTE]);
  const noted = typeof note?.['input'] === 'string' ? asRecord(parseJson(note['input'])) : undefined;
  if (noted && note?.['toolName'] === bridge) return { ...withoutNote(part), toolName: bridge, input: noted };
  if (!isBridged(toolName)) return note ? withoutNote(part) : undefined;
  return { ...withoutNote(part), toolName: bridge, input: { toolName, arguments: input ?? {} } };
}

function withoutNote(part: ToolPart): ToolPart {
  const { providerOptions, ...others } = part;
  const { [NOTE]: _, ...rest } = asRecord(providerOptions) ?? {};
  return Object.keys(rest).length > 0 ? { ...others, providerOptions: rest } : others;
}
