import { mapToolParts, type Prompt } from '../loaded/conversation/prompt.ts';
import { type CallPart, rewriteAnswer } from '../mastra/rewritten-calls.ts';
import { isLegacy, wrapModel } from '../mastra/wrapped-model.ts';
import { parseJson } from '../meta-tools/meta-tool.ts';
import type { Renaming } from '../providers/index.ts';

/**
 * A model that is sent tools with renamed parameters. Mastra reads its calls with the tools' own names, so that approvals,
 * hooks and stored messages have these; the model reads its calls as it wrote them.
 *
 * @param renamings - by the names of tools.
 */
export function withOwnNames(model: unknown, renamings: ReadonlyMap<string, Renaming>): unknown {
  if (renamings.size === 0 || isLegacy(model)) return model;
  return wrapModel<unknown, { readonly prompt: Prompt }>(model, async (call, ask) => {
    const prompt = mapToolParts(call.prompt, (part) => {
      const renaming = part.type === 'tool-call' ? renamings.get(part.toolName) : undefined;
      const input = renaming?.rename(part.input) ?? part.input;
      return input === part.input ? part : { ...part, input };
    });
    const answer = await ask({ ...call, prompt });
    return rewriteAnswer(
      answer,
      (name) => renamings.has(name),
      async (calls) => {
        return new Map(calls.flatMap((written) => withOwn(written, renamings.get(written.toolName))));
      },
    );
  });
}

function withOwn(call: CallPart, renaming: Renaming | undefined): readonly (readonly [CallPart, CallPart])[] {
  const written = parseJson(call.input);
  const input = renaming?.restore(written);
  // What is no JSON stays as it is, and is refused.
  if (input === undefined || input === written) return [];
  return [[call, { ...call, input: JSON.stringify(input) }]];
}
