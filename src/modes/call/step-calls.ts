import type { Loader } from '../../meta-tools/loading.ts';
import { asObject } from '../../meta-tools/meta-tool.ts';
import { forcedName, type Step } from '../../step/step.ts';
import { asRecord } from '../../util/record.ts';
import { readCall, type Target, targetOf } from './written-call.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Finds the targets of the `call_tool` calls of one step. Calls with the same input are looked up once. */
export class StepCalls {
  readonly #step: Step;
  readonly #loader: Loader;
  readonly #bridge: string;
  readonly #targets = new Map<string, Promise<Target>>();
  readonly #exact = new Map<string, Fields>();

  constructor(step: Step, loader: Loader, bridge: string) {
    this.#step = step;
    this.#loader = loader;
    this.#bridge = bridge;
  }

  targetIn(input: unknown): Promise<Target> {
    const fields = asObject(input);
    const key = JSON.stringify(fields);
    const known = this.#targets.get(key);
    if (known) return known;
    const target = targetOf(readCall(fields), this.#step, this.#loader, this.#bridge);
    this.#targets.set(key, target);
    const keepExact = (found: Target): void => {
      if (found.kind !== 'tool' && found.kind !== 'resident') return;
      const exact = { toolName: found.name, arguments: found.args };
      this.#exact.set(key, exact);
      this.#targets.set(JSON.stringify(exact), target);
    };
    target.then(keepExact, () => {});
    return target;
  }

  /**
   * The input with the exact name of the tool, if the call was already looked up, as it is when Mastra asks for the approval
   * first. Wrappers and hooks of `call_tool` receive this form.
   */
  exact(fields: Fields): Fields {
    return this.#exact.get(JSON.stringify(fields)) ?? fields;
  }
}

/** The tools that a request lets the model call: `'any'`, only the named one, or none (`only: undefined`). */
export type NamedChoice = 'any' | { readonly only: string | undefined };

/**
 * Which tools the `toolChoice` of a step lets the model call.
 *
 * @param forced - the tool that the model must call through `bridge`.
 * @param isSent - whether the step sends a tool. A `toolChoice` that names no tool of the step does not reach the model.
 */
export function choiceOf(
  toolChoice: unknown,
  bridge: string,
  forced: string | undefined,
  isSent: (name: string) => boolean,
): NamedChoice {
  if (toolChoice === 'none' || asRecord(toolChoice)?.['type'] === 'none') return { only: undefined };
  if (forced !== undefined) return { only: forced };
  const name = forcedName(toolChoice);
  return name === undefined || name === bridge || !isSent(name) ? 'any' : { only: name };
}

export function mayCall(choice: NamedChoice, name: string): boolean {
  return choice === 'any' || choice.only === name;
}
