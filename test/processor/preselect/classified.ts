import { Classifier } from '@mastra/core/classifier';
import type { ClassifierPreselectOptions, PreselectDecision, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { type Office, officeWith, withMemory } from './office.ts';

export const questions = {
  domain: {
    type: 'choice',
    criteria: { outside: 'Weather and holidays', mail: 'Sending mail', none: 'Needs no tools' },
  },
  urgent: { type: 'boolean' },
} as const;
export const tools: Readonly<Record<keyof (typeof questions)['domain']['criteria'], string[]>> = {
  outside: ['get_weather', 'list_holidays'],
  mail: ['send_email'],
  none: [],
};

export type Verdict = { choice: string; probability?: number } | Error | 'never';

interface Asked {
  readonly state: unknown;
  readonly providerOptions: unknown;
}

/** A real classifier over a model that answers each message as told, else with `none`. */
export function classifierOf(verdicts: Record<string, Verdict>): {
  readonly classifier: Classifier<typeof questions>;
  readonly asked: readonly Asked[];
} {
  const asked: Asked[] = [];
  const doEvaluate = async ({ state, providerOptions }: { state: unknown; providerOptions?: unknown }) => {
    asked.push({ state, providerOptions });
    const verdict = verdicts[String(state)] ?? { choice: 'none', probability: 0.9 };
    if (verdict === 'never') return new Promise(() => {});
    if (verdict instanceof Error) throw verdict;
    const { choice, probability } = verdict;
    const rest = (1 - (probability ?? 0)) / 2;
    const all = Object.fromEntries(Object.keys(tools).map((name) => [name, name === choice ? probability : rest]));
    const domain = { type: 'choice', choice, ...(probability === undefined ? {} : { probabilities: all }) };
    return { answers: { domain, urgent: { type: 'boolean', probability: 0.5 } }, usage: {}, warnings: [] };
  };
  const model = {
    ...{ specificationVersion: 'v4', provider: 'scripted', modelId: 'scripted' },
    ...{ supportedQuestionTypes: ['choice', 'boolean'], doEvaluate },
  };
  return { classifier: new Classifier({ id: 'needs', model: model as never, questions }), asked };
}

export interface ClassifierRig extends Office {
  readonly asked: readonly Asked[];
  readonly told: readonly PreselectDecision[];
}

/** Options, of preselect those that differ. */
export type Classified = Partial<Omit<ToolSearchProcessorOptions, 'preselect'>> & {
  readonly preselect?: Partial<ClassifierPreselectOptions>;
};

export function classified(
  verdicts: Record<string, Verdict>,
  { preselect = {}, ...options }: Classified = {},
): ClassifierRig {
  const { classifier, asked } = classifierOf(verdicts);
  const told: PreselectDecision[] = [];
  const onPreselect = (decision: PreselectDecision): void => void told.push(decision);
  const made = officeWith(
    { preselect: { classifier, question: 'domain', tools, onPreselect, ...preselect }, ...options } as never,
    [],
    { agent: withMemory() },
  );
  return { ...made, asked, told };
}

export const SUNNY = 'Will it be sunny?';
export const WRITE = 'Write to Ada.';
export const sure: Record<string, Verdict> = {
  [SUNNY]: { choice: 'outside', probability: 0.9 },
  [WRITE]: { choice: 'mail', probability: 0.8 },
};
