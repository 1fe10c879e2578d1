import type { Reporter } from '../../events/reporter.ts';
import { ActiveTools } from '../../mastra/hiding.ts';
import type { ToolRegistration } from '../../mastra/tool-registration.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import type { ModeTools, Step } from '../../processor/step.ts';
import type { MissRunner } from '../load.ts';
import { canRunCalls, StepCalls } from './step-calls.ts';

/** Lets calls of tools run that a step of load mode does not send. */
export class MissedCallRunner implements MissRunner {
  readonly #registration: ToolRegistration;
  readonly #loader: Loader;
  readonly #reporter: Reporter;

  constructor(parts: {
    readonly registration: ToolRegistration;
    readonly loader: Loader;
    readonly reporter: Reporter;
  }) {
    this.#registration = parts.registration;
    this.#loader = parts.loader;
    this.#reporter = parts.reporter;
  }

  async run(sent: ModeTools, model: unknown, step: Step): Promise<ModeTools> {
    if (!(await canRunCalls(step, this.#reporter))) return sent;
    const { args, own, separated, reach } = step;
    const { registered } = separated;
    const calls = new StepCalls({
      ...{ step, model: args.model, registered, received: args.tools ?? {} },
      registeredFor: (entry) => this.#registration.registeredFor(entry, registered),
      runOf: (entry) => this.#registration.resumed(entry, args.model),
      ...{ loader: this.#loader, reporter: this.#reporter },
      wording: { search: reach.names.search, schemaTokens: 0 },
      runsMisses: true,
      mayBeDurable: step.isDurable !== false,
    });
    const others = Object.keys(sent.tools).filter((name) => !Object.hasOwn(own, name));
    const visible = ActiveTools.of(args.activeTools, Object.keys(own), others);
    return {
      ...sent,
      tools: { ...sent.tools, ...calls.places },
      added: [...sent.added, ...Object.values(calls.places)],
      model: calls.wrap(visible, (prompt) => prompt, model),
      activeTools: visible.list,
    };
  }
}
