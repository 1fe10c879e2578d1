/** What happens to a suspended call. */
export type Action = 'approve' | 'decline' | 'resume';
export type Kind = 'Agent' | 'DurableAgent';
export type Mode = 'generate' | 'stream';
/** The constructor's tools, few, many, or those of a source; or the agent's own, with `includeResolvedTools`. */
export type Catalog = 'small' | 'large' | 'source' | 'own';
/** The phase of the filter that denies the tool once its call is suspended. */
export type Phase = 'active' | 'load';

export interface Case {
  readonly id: string;
  readonly catalog: Catalog;
  readonly mode: Mode;
  readonly action: Action;
  /** The tool that is loaded and called. */
  readonly tool: string;
  readonly withdrawn?: Phase;
}

/** `pay` waits for approval, `ask` suspends itself. Each right that is withdrawn is that of a tool of its own. */
export const TOOLS = ['pay', 'pay_active', 'pay_load', 'ask', 'ask_active', 'ask_load'] as const;

type Subject = Omit<Case, 'id' | 'catalog' | 'mode'>;

const SUBJECTS: readonly Subject[] = [
  { action: 'approve', tool: 'pay' },
  { action: 'decline', tool: 'pay' },
  { action: 'resume', tool: 'ask' },
];

/** Each phase with each kind of wait, in one mode each: what is asked does not depend on how the call goes on. */
const WITHDRAWN: Readonly<Record<Mode, readonly Subject[]>> = {
  generate: [
    { action: 'approve', tool: 'pay_active', withdrawn: 'active' },
    { action: 'resume', tool: 'ask_load', withdrawn: 'load' },
  ],
  stream: [
    { action: 'approve', tool: 'pay_load', withdrawn: 'load' },
    { action: 'resume', tool: 'ask_active', withdrawn: 'active' },
  ],
};

/** Every case, each on a thread of its own, so that they can run side by side. */
export const cases: readonly Case[] = (['small', 'large', 'source', 'own'] as const).flatMap((catalog) =>
  (['generate', 'stream'] as const).flatMap((mode) =>
    [...SUBJECTS, ...WITHDRAWN[mode]].map((subject) => {
      const id = `${catalog}-${mode}-${subject.action}-${subject.tool}`;
      return { id, catalog, mode, ...subject };
    }),
  ),
);

/** The agent's own tools are handed over by the agent, so that latency changes nothing: they are tried without. */
export function casesAt(latency: number): readonly Case[] {
  return latency === 0 ? cases : cases.filter(({ catalog }) => catalog !== 'own');
}

/** What came of it. */
export interface Outcome {
  readonly id: string;
  /** How often the tool ran to its end. */
  readonly runs: number;
  /** What the model read as the call's result. */
  readonly result: unknown;
  /** The tools that each further step sent. */
  readonly sent: readonly (readonly string[])[];
  /** The tools of the thread's next turn, after an approval. */
  readonly nextTurn?: readonly string[];
  readonly text: string;
  /** Tools whose calls the filter refused, from the events. */
  readonly denied: readonly string[];
}
