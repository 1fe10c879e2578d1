import type { Reporter } from '../../events/reporter.ts';
import type { Handover } from '../../mastra/handover.ts';
import { ActiveTools } from '../../mastra/withholding.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import type { ModeTools, Step } from '../../processor/step.ts';
import type { MissRunner } from '../load.ts';
import { canRunCalls, StepCalls } from './step-calls.ts';

/** Lets calls of tools run that a step of load mode does not send. */
export class MissedCallRunner implements MissRunner {
  readonly #handover: Handover;
  readonly #loader: Loader;
  readonly #reporter: Reporter;

  constructor(parts: { readonly handover: Handover; readonly loader: Loader; readonly reporter: Reporter }) {
    this.#handover = parts.handover;
    this.#loader = parts.loader;
    this.#reporter = parts.reporter;
  }

  async run(sent: ModeTools, model: unknown, step: Step): Promise<ModeTools> {
    if (!(await canRunCalls(step, this.#reporter))) return sent;
    const { args, own, separated, reach } = step;
    const { handed } = separated;
    const calls = new StepCalls({
      ...{ step, model: args.model, handed, received: args.tools ?? {} },
      handedFor: (entry) => this.#handover.handedFor(entry, handed),
      runOf: (entry) => this.#handover.resumed(entry, args.model),
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
