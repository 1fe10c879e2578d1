import { mapToolParts, type Prompt, type ToolPart } from '../../loaded/conversation/prompt.ts';
import { parseJson } from '../../meta-tools/meta-tool.ts';
import { asRecord } from '../../util/record.ts';

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
 * beginning of the prompt stays the same. A call without a note was written as it is: whether its name is a tool of the
 * catalog must not show.
 */
export function asWritten(prompt: Prompt): Prompt {
  // A provider may count its ids anew in each answer, so a result belongs to the last call of its id.
  const written = new Map<string, ToolPart>();
  return mapToolParts(prompt, (part) => {
    if (part.type === 'tool-call') {
      const call = writtenCall(part);
      if (call) written.set(part.toolCallId, call);
      else written.delete(part.toolCallId);
      return call ?? part;
    }
    const call = written.get(part.toolCallId);
    if (!call) return part;
    return { ...withoutNote(part), toolName: call.toolName, ...('input' in part ? { input: call.input } : {}) };
  });
}

function writtenCall(part: ToolPart): ToolPart | undefined {
  const { toolName, input } = asRecord(asRecord(part.providerOptions)?.[NOTE]) ?? {};
  const fields = typeof input === 'string' ? asRecord(parseJson(input)) : undefined;
  if (typeof toolName !== 'string') return undefined;
  return { ...withoutNote(part), ...(fields ? { toolName, input: fields } : {}) };
}

function withoutNote(part: ToolPart): ToolPart {
  const { providerOptions, ...others } = part;
  const { [NOTE]: _, ...rest } = asRecord(providerOptions) ?? {};
  return Object.keys(rest).length > 0 ? { ...others, providerOptions: rest } : others;
}
