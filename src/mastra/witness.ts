/**
 * Tells whether Mastra takes the tools of a step as they were returned. A later processor or `prepareStep` that takes tools
 * away by their names cannot take one that is not among them yet, and has to be heard all the same.
 *
 * One tool of the step is the witness. Mastra reads a step's tools and tests each in one go; whoever makes another record of
 * them reads them before that, whoever changes the record itself is seen doing so, and a tool that runs otherwise by then
 * was changed in place. These lines of @mastra/core 1.71.0 are what the witness leans on:
 *
 * ```js
 * // createLLMExecutionStep(), after all processors; a DurableAgent does the same with its own record
 * for (const [name, tool] of Object.entries(currentStep.tools)) if (isMastraTool(tool)) convertedTools[name] = makeCoreTool(tool, {
 * // isMastraTool()
 * return tool instanceof Tool || typeof tool === "object" && tool !== null && MASTRA_TOOL_MARKER in tool;
 * ```
 *
 * @module
 */
import { MASTRA_TOOL_MARKER } from '../catalog/tool.ts';
import { asRecord } from '../util/record.ts';
import { watchers } from './watched.ts';

const witnesses = new WeakMap<object, Witness>();

/** A tool that tells what became of the record that it is part of. */
export class Witness {
  readonly tool: object;
  #isBeingRead = false;
  #isIntact = false;
  #isChanged = false;
  readonly #areAsBefore: (() => boolean)[] = [];

  constructor() {
    this.tool = Object.create(
      new Proxy(
        {},
        {
          has: (target, key) => {
            if (key === MASTRA_TOOL_MARKER)
              this.#isIntact = this.#isBeingRead && this.#areAsBefore.every((ask) => ask());
            return Reflect.has(target, key);
          },
        },
      ),
    ) as object;
    witnesses.set(this.tool, this);
    watchers.set(this.tool, withWitnesses);
  }

  /** Whether Mastra took the very record that {@link withWitnesses} returned last, unchanged. */
  get isIntact(): boolean {
    return this.#isIntact && !this.#isChanged;
  }

  /** @param areAsBefore - asked when Mastra takes the tools. */
  watch(areAsBefore: () => boolean): void {
    this.#areAsBefore.push(areAsBefore);
  }

  noteRead(): void {
    this.#isBeingRead = true;
    queueMicrotask(() => {
      this.#isBeingRead = false;
    });
  }

  noteChange(): void {
    this.#isChanged = true;
  }
}

/** The tools of a step, which tell their witnesses what is done with them. */
function withWitnesses<Tools extends Record<string, unknown>>(tools: Tools): Tools {
  const found = Object.values(tools).flatMap((tool) => witnesses.get(tool as object) ?? []);
  const before = Object.values(tools).map((tool) => [tool, ...runOf(tool)] as const);
  const areAsBefore = (): boolean =>
    before.every(([tool, ...run]) => runOf(tool).every((field, at) => field === run[at]));
  for (const witness of found) witness.watch(areAsBefore);
  const changed = (): void => {
    for (const witness of found) witness.noteChange();
  };
  return new Proxy(tools, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      witnesses.get(value as object)?.noteRead();
      return value;
    },
    deleteProperty(target, key) {
      changed();
      return Reflect.deleteProperty(target, key);
    },
    defineProperty(target, key, descriptor) {
      changed();
      return Reflect.defineProperty(target, key, descriptor);
    },
  });
}

/** What decides how a call of a tool runs. */
function runOf(tool: unknown): readonly unknown[] {
  const { execute, requireApproval, needsApprovalFn } = asRecord(tool) ?? {};
  return [execute, requireApproval, needsApprovalFn];
}
