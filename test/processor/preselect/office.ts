import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
import {
  type call,
  calls,
  newMemory,
  type Rig,
  type RigOptions,
  RUNS,
  rig,
  tool,
  toolRecord,
} from '../../support/agent.ts';
import { essence } from '../../support/events.ts';
import { type ModelCall, type Script, toolNames } from '../../support/scripted-model.ts';

export const ASKS_FOR_WEATHER = 'What is the current weather in the city of Paris?';
export const ASKS_FOR_EMAIL = 'Please send an email message to Ada.';
export const CHATS = 'Thanks, great!';

/** A few tools of an office, which users ask for in their own words. */
export const office = (): Record<string, MastraTool> =>
  toolRecord(
    tool('get_weather', 'Get the current weather of a city.'),
    tool('send_email', 'Send an email message.'),
    tool('create_invoice', 'Create an invoice for a customer.'),
    tool('list_holidays', 'List public holidays of a country.'),
    tool('translate_document', 'Translate a document into another language.'),
  );

export type Mode = 'generate' | 'stream' | 'a DurableAgent';
export const MODES: readonly Mode[] = RUNS.map(({ how }) => how as Mode);

/** A thread of a user. */
export const inThread = (thread: string): { memory: { thread: string; resource: string } } => ({
  memory: { thread, resource: 'ada' },
});

/** Calls these, one a step, in each turn of a thread. */
export const inTurns =
  (...turns: readonly (readonly ReturnType<typeof call>[])[]): Script =>
  (received) => {
    const turn = received.prompt.filter(({ role }) => role === 'user').length;
    return calls(...(turns[turn - 1] ?? []))(received);
  };

export interface Office extends Rig {
  /** Sends a message, and returns what each model call of its run was sent, besides the meta-tools. */
  readonly say: (message: string, options?: object, mode?: Mode) => Promise<string[][]>;
  /** The events about what runs begin with, without their confidence. */
  readonly decisions: () => object[];
}

/** The time that a search has is no subject of most tests. */
const timeouts = { preselect: 10_000 };

/** An agent with memory, and with preselect over the tools of an office. */
export function officeWith(
  options: Partial<ToolSearchProcessorOptions> = {},
  script: Script = calls(),
  agent: RigOptions['agent'] | object = {},
): Office {
  const given = { tools: office(), preselect: true, timeouts, ...options };
  const made = rig(given, { script, agent: { memory: newMemory(), ...agent } });
  const say = async (message: string, request: object = {}, mode: Mode = 'generate'): Promise<string[][]> => {
    const before = made.model.calls.length;
    await RUNS.find(({ how }) => how === mode)!.run(made.agent, message, request);
    return made.model.calls.slice(before).map(sentIn);
  };
  const decisions = (): object[] =>
    made.events.flatMap((event) => {
      if (event.type !== 'preselect') return [];
      const { type: _, confidence: __, ...decision } = essence(event);
      return [decision];
    });
  return { ...made, say, decisions };
}

/** The tools of a model call besides the meta-tools. */
export function sentIn(received: ModelCall): string[] {
  return toolNames(received).filter((name) => !/^(search|load|unload)_tools?$/.test(name));
}

/** A promise with what ends it. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
