import type { MastraTool } from '../../catalog/tool.ts';
import { approvalOf, type RunPolicy } from '../../mastra/approvals.ts';
import { isRefusedInput } from '../../mastra/calls.ts';

/** The tool that a call of `call_tool` runs. */
export interface Called {
  readonly name: string;
  readonly tool: MastraTool;
  readonly args: object;
}

/** The argument with which Mastra's loop calls the hooks of a tool about its input and its output. */
interface Told {
  readonly toolCallId?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** A result of a called tool, kept until Mastra calls `toModelOutput` for it. */
interface Made {
  readonly id: unknown;
  readonly called: Called;
  readonly result: unknown;
}

/** Maps the fields of a `transform` to the payload that each of them transforms. */
const PAYLOADS = {
  input: 'input',
  approval: 'input',
  output: 'output',
  error: 'error',
  suspend: 'suspendPayload',
  resume: 'resumeData',
} as const;
type Payload = keyof typeof PAYLOADS;
type Transform = Readonly<Record<string, Partial<Record<Payload, (context: object) => unknown>> | undefined>>;

/**
 * Forwards what Mastra's loop asks of `call_tool` around a call to the called tool: approval, hooks, `transform` and
 * `toModelOutput`.
 */
export class AroundCalls {
  readonly #calledIn: (input: unknown) => Promise<Called | undefined>;
  readonly #policy: () => RunPolicy;
  readonly #isDurable: boolean;
  /** Ids of calls, in the order in which Mastra calls `toModelOutput` for their results. */
  readonly #order: unknown[] = [];
  readonly #made: Made[] = [];

  /** @param calledIn - the tool that an input of `call_tool` runs; undefined if `call_tool` itself answers. */
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

  /** The `transform` of `call_tool`: applies that of the called tool; without one the payload stays unchanged. */
  get transform(): object {
    const of = (target: string): object =>
      Object.fromEntries(
        Object.keys(PAYLOADS).map((payload) => [
          payload,
          (context: object) => this.#transformed(context as Told, target, payload as Payload),
        ]),
      );
    return { display: of('display'), transcript: of('transcript') };
  }

  async needsApproval(input: unknown, context: unknown): Promise<boolean> {
    const called = await this.#calledIn(input);
    return called !== undefined && approvalOf(called, context, this.#policy());
  }

  /** Keeps the result of a call for `toModelOutput`. */
  note(id: unknown, called: Called, result: unknown): void {
    this.#made.push({ id, called, result });
  }

  async #transformed(context: Told, target: string, payload: Payload): Promise<unknown> {
    const called = await this.#calledIn(context.input);
    const { transform } = (called?.tool ?? {}) as { readonly transform?: Transform };
    const ofTool = transform?.[target];
    if (!called || !ofTool) return (context as Readonly<Record<string, unknown>>)[PAYLOADS[payload]];
    const shown = await ofTool[payload]?.({ ...context, toolName: called.name, input: called.args });
    return shown !== undefined && PAYLOADS[payload] === 'input' ? { toolName: called.name, arguments: shown } : shown;
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
   * Mastra passes only the result, or a copy of it, without the id of the call. So equal results are told apart by order: an
   * Agent asks in the order in which the model made the calls, a DurableAgent right after each output.
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
