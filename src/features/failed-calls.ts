import { exampleOf, signatureOf } from '../catalog/signature.ts';
import { failedAgain } from '../loaded/conversation/conversation.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { StepMode } from '../modes/mode.ts';
import type { Step } from '../step/step.ts';
import type { Feature } from './feature.ts';
import type { Sentences } from './sentences.ts';

/** Tells the model how to call a tool that failed twice in the run with the same input. Bridge modes already do so. */
export class FailedCalls implements Feature {
  readonly #sentences: Sentences;

  constructor(sentences: Sentences) {
    this.#sentences = sentences;
  }

  active(step: Step, mode: StepMode): void {
    if (mode.bridge) return;
    for (const { id, toolName } of failedAgain(step.calls)) {
      const entry = step.catalog.get(toolName);
      if (!entry || !step.tools.isCallable(entry.name)) continue;
      const how = prompts.howToCall(signatureOf(entry), exampleOf(entry));
      this.#sentences.say(prompts.failedAgain(entry.name, how), [id], step, mode);
    }
  }
}
