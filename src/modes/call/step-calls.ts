import type { Loader } from '../../meta-tools/loading.ts';
import { asObject } from '../../meta-tools/meta-tool.ts';
import { forcedName, type Step } from '../../processor/step.ts';
import { asRecord } from '../../util/record.ts';
import { readCall, type Target, targetOf } from './written-call.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The calls that the model of one step makes through `call_tool`, by their input. Each is looked up once. */
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
   * The input with the exact name of the tool, where the call was looked up before: Mastra asks for its approval first. What
   * stands around `call_tool` hears this form.
   */
  exact(fields: Fields): Fields {
    return this.#exact.get(JSON.stringify(fields)) ?? fields;
  }
}

/** The tools that a request lets a model call: `'any'`, or the one of this name, or none. */
export type NamedChoice = 'any' | { readonly only: string | undefined };

/**
 * What the `toolChoice` of a step lets a model call.
 *
 * @param forced - the tool that has to be called through `bridge`.
 * @param isSent - whether the step sends a tool. One that names no tool of the step does not reach the model.
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
