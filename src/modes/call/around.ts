import type { MastraTool } from '../../catalog/tool.ts';
import { approvalOf, type RunPolicy } from '../../mastra/approvals.ts';
import { isRefusedInput } from '../../mastra/calls.ts';

/** The tool that a call of `call_tool` runs. */
export interface Called {
  readonly name: string;
  readonly tool: MastraTool;
  readonly args: object;
}

/** A call, as Mastra's loop tells a tool of its input and its output. */
interface Told {
  readonly toolCallId?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** A result of a tool, until Mastra asks what the model is to read of it. */
interface Made {
  readonly id: unknown;
  readonly called: Called;
  readonly result: unknown;
}

/**
 * What Mastra's loop asks of `call_tool` around a call, answered by the tool that it runs: its approval, its hooks, and what the
 * model reads of its result.
 */
export class AroundCalls {
  readonly #calledIn: (input: unknown) => Promise<Called | undefined>;
  readonly #policy: () => RunPolicy;
  readonly #isDurable: boolean;
  /** Ids of calls, in the order in which Mastra asks what the model is to read of their results. */
  readonly #order: unknown[] = [];
  readonly #made: Made[] = [];

  /** @param calledIn - the tool that an input of `call_tool` runs; undefined where `call_tool` answers itself. */
  constructor(
    calledIn: (input: unknown) => Promise<Called | undefined>,
    { policy, isDurable }: { readonly policy: () => RunPolicy; readonly isDurable: boolean },
  ) {
    this.#calledIn = calledIn;
    this.#policy = policy;
    this.#isDurable = isDurable;
  }

  /** The fields of `call_tool` that Mastra's loop reads. */
  get fields(): Partial<MastraTool> {
    return {
      requireApproval: (input: unknown, context: unknown) => this.needsApproval(input, context),
      onInputAvailable: (told: Told) => this.#tellInput(told),
      onOutput: (told: Told) => this.#tellOutput(told),
      toModelOutput: (output: unknown) => this.#modelOutput(output),
    } as unknown as Partial<MastraTool>;
  }

  async needsApproval(input: unknown, context: unknown): Promise<boolean> {
    const called = await this.#calledIn(input);
    return called !== undefined && approvalOf(called, context, this.#policy());
  }

  /** Notes the result of a call. */
  note(id: unknown, called: Called, result: unknown): void {
    this.#made.push({ id, called, result });
  }

  async #tellInput(told: Told): Promise<void> {
    if (!this.#isDurable) this.#order.push(told.toolCallId);
    const called = await this.#calledIn(told.input);
    await called?.tool.onInputAvailable?.({ ...told, input: called.args } as never);
  }

  async #tellOutput(told: Told): Promise<void> {
    const made = this.#made.findLast(({ id }) => id === told.toolCallId);
    try {
      await made?.called.tool.onOutput?.({ ...told, toolName: made.called.name } as never);
    } finally {
      if (this.#isDurable) this.#order.push(told.toolCallId);
    }
  }

  /**
   * Mastra hands over a result alone, perhaps a copy of it: an Agent's run in the order in which the model made the calls, a
   * DurableAgent's right behind the output of each.
   */
  #modelOutput(output: unknown): unknown {
    const itself = this.#made.filter(({ result }) => typeof result === 'object' && result === output);
    const alike = itself.length > 0 ? itself : this.#made.filter(({ result }) => isSame(result, output));
    const placeOf = ({ id }: Made): number => this.#order.indexOf(id) >>> 0;
    const [made] = alike.toSorted((one, other) => placeOf(one) - placeOf(other));
    if (made) this.#made.splice(this.#made.indexOf(made), 1);
    return isRefusedInput(output) ? undefined : made?.called.tool.toModelOutput?.(output as never);
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}
