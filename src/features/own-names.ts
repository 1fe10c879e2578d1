import { mapToolParts, type Prompt } from '../loaded/conversation/prompt.ts';
import { type CallPart, rewriteAnswer } from '../mastra/rewritten-calls.ts';
import { isLegacy, wrapModel } from '../mastra/wrapped-model.ts';
import type { Forms } from '../meta-tools/forms.ts';
import { parseJson } from '../meta-tools/meta-tool.ts';
import type { Renaming } from '../providers/index.ts';
import type { SentTools, Step } from '../step/step.ts';
import type { Feature } from './feature.ts';

/**
 * Renames parameters whose names a provider refuses. Calls from the model are translated back to the original names, so that
 * approvals, hooks and stored messages have these; the prompt shows the model its calls with the names that it was sent.
 */
export class OwnNames implements Feature {
  readonly #forms: Forms;

  constructor(forms: Forms) {
    this.#forms = forms;
  }

  finish(sent: SentTools, step: Step): SentTools {
    const renamings = this.#forms.renamings(step);
    if (renamings.size === 0) return sent;
    const given = sent.model ?? step.args.model;
    const model = withOwnNames(given, renamings);
    return model === given ? sent : { ...sent, model };
  }
}

/** @param renamings - keyed by tool name. */
function withOwnNames(model: unknown, renamings: ReadonlyMap<string, Renaming>): unknown {
  if (isLegacy(model)) return model;
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
  // Input that is not JSON stays unchanged, so that Mastra refuses the call.
  if (input === undefined || input === written) return [];
  return [[call, { ...call, input: JSON.stringify(input) }]];
}
