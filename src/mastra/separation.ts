import { type HandedTool, type HandedTools, markOf, sent, withheld } from './marks.ts';

/** The tools that a step received, taken apart. */
export interface SeparatedTools {
  /** The agent's own tools, other processors', and what a ToolSearchProcessor before this one sends in the step. */
  readonly own: Record<string, unknown>;
  /** Tools that any ToolSearchProcessor handed over. */
  readonly handed: HandedTools;
  /** Whether there are tools that one handed over, or guards. */
  readonly hasMarks: boolean;
}

/** The tools of a request's last step, kept while its next steps receive the same. */
interface LastStep {
  readonly received: RecordSnapshot;
  readonly own: Record<string, unknown>;
  readonly handed: HandedTools;
  readonly hasMarks: boolean;
}

/**
 * Tells what was handed over from the rest. All of it is withheld, whoever handed it over: where processors are made
 * for each request, that instance has no step of its own. An instance that comes later finds it by the message list.
 */
export class Separation {
  readonly #lastSteps = new WeakMap<object, LastStep>();

  /**
   * @param request - any object that stands for the request: a step that receives what the last one did gets the same.
   * @param messageList - the same for all processors of a step.
   */
  separate(
    request: object,
    tools: Readonly<Record<string, unknown>> | undefined,
    messageList: object | undefined,
  ): SeparatedTools {
    const received = tools ?? {};
    const last = this.#lastSteps.get(request);
    const step = last?.received.isStill(received) ? last : takeApart(received);
    this.#lastSteps.set(request, step);
    const handed = messageList ? withTaken(step.handed, messageList) : step.handed;
    return { own: step.own, handed, hasMarks: step.hasMarks };
  }
}

/** The keys and values that a record had at one time. */
export class RecordSnapshot {
  readonly #keys: readonly string[];
  readonly #values: readonly unknown[];

  /** @param each - called for every entry, in order. */
  constructor(record: Readonly<Record<string, unknown>>, each: (key: string, value: unknown) => void) {
    this.#keys = Object.keys(record);
    this.#values = this.#keys.map((key) => {
      const value = record[key];
      each(key, value);
      return value;
    });
  }

  /** Whether a record has the same keys and values, in the same order. Reads no tool, which would take longer. */
  isStill(record: Readonly<Record<string, unknown>>): boolean {
    const keys = Object.keys(record);
    if (keys.length !== this.#keys.length) return false;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] ?? '';
      if (key !== this.#keys[at] || record[key] !== this.#values[at]) return false;
    }
    return true;
  }
}

/** The tools handed over, with those that processors in front took out of the step. */
function withTaken(handed: HandedTools, messageList: object): HandedTools {
  const taken = withheld.get(messageList);
  if (!taken || taken === handed) {
    if (handed.size > 0) withheld.set(messageList, handed);
    return handed;
  }
  if (handed.size === 0) return taken;
  const all = new Map([...taken, ...handed]);
  withheld.set(messageList, all);
  return all;
}

function takeApart(received: Readonly<Record<string, unknown>>): LastStep {
  // Also for a tool that is called "__proto__".
  const own: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const handed = new Map<string, HandedTool>();
  let hasMarks = false;
  const snapshot = new RecordSnapshot(received, (key, tool) => {
    const mark = markOf(tool);
    hasMarks ||= mark !== undefined;
    if (!mark || mark.kind === 'resolved' || sent.has(tool as object)) own[key] = tool;
    else if (mark.kind !== 'alias') handed.set(mark.name, { mark, tool: tool as object });
  });
  return { received: snapshot, own, handed, hasMarks };
}
