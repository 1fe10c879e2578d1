// Who converses, with what tools, and what they may do: the same for the same user, tool and phase, whenever it is asked.
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { MastraTool, ToolSearchFilterPhase } from '../../../src/index.ts';
import { randomFrom } from '../speed/random.ts';

/** Who has a conversation. */
export interface Profile {
  /** In every name and text that only this conversation may see. */
  readonly id: string;
  /** The same, for all conversations with the same tools. */
  readonly group: string;
  readonly number: number;
  readonly user: string;
  /** Absent for one that is anonymous. */
  readonly thread?: string;
}

const GROUPS = 20;
const VERBS = 'create update delete find send export archive approve print share restore count merge copy rename';
const NOUNS = (
  'invoice customer ticket calendar email contract warehouse shipment payroll holiday report campaign dashboard ' +
  'repository password meeting voucher supplier survey photo'
).split(' ');

/** Names with their descriptions. */
export type Descriptions = ReadonlyMap<string, string>;

/** The tools of the constructor. */
export const SHARED: Descriptions = new Map(
  NOUNS.flatMap((noun) =>
    VERBS.split(' ').map((verb) => [`${verb}_${noun}`, `Can ${verb} the ${noun} that is named in the input.`]),
  ),
);

/** The same and more, of which one has another text in each generation. */
export function sharedTools(count: number, generation = 0): Descriptions {
  const names = [...SHARED.keys()];
  const more = Array.from({ length: Math.max(0, count - names.length) }, (_, at) => {
    const name = `${names[at % names.length]}_${Math.floor(at / names.length) + 2}`;
    const isRevised = generation > 0 && at === generation % (count - names.length);
    const words = name.replaceAll('_', ' ');
    return [name, `Does ${words} in another office${isRevised ? `, revised ${generation} times` : ''}.`] as const;
  });
  return new Map([...SHARED, ...more]);
}

/** Users have two conversations each, and thread ids are used by many users. */
export function profileOf(number: number): Profile {
  const id = `cv${String(number).padStart(3, '0')}`;
  const group = `gr${String(number % GROUPS).padStart(2, '0')}`;
  const profile = { id, group, number, user: `user-${Math.floor(number / 2)}` };
  return number % 10 === 9 ? profile : { ...profile, thread: `thread-${number % 7}` };
}

/** What a conversation brings along to one of its requests. */
export function ownTools({ id, group, number }: Profile, request: number): Descriptions {
  const shared = [...SHARED.keys()];
  // In the place of tools of the constructor.
  const replaced = [7, 130].map((place) => shared[(place + 13 * (number % GROUPS)) % shared.length]!);
  // One more in each request, up to six, then one less; or so many that its index cannot be made of another's.
  const changing = number % 5 === 2 ? Math.abs((request % 12) - 6) : 0;
  const records = number % 40 === 7 ? 120 : changing;
  return new Map([
    ...NOUNS.slice(0, 8).map((noun) => [`${noun}_statistics_${group}`, `Adds up each ${noun} of ${group}.`] as const),
    // The same names in all groups, with other texts.
    ...NOUNS.slice(8, 11).map((noun) => [`${noun}_digest`, `A digest of each ${noun} of ${group}.`] as const),
    ...replaced.map((name) => [name, `Does ${name.replace('_', ' ')} as it is done in ${group}.`] as const),
    ...Array.from({ length: records }, (_, n) => [`record_${n}_${id}`, `Opens record ${n} of ${id}.`] as const),
  ]);
}

/** @param owner - what the filter sees of a tool: a request's own tools are of that request. */
export function toolsOf(
  described: Descriptions,
  owner: string,
  execute: (name: string, from: string, context: unknown) => Promise<unknown>,
): Record<string, MastraTool> {
  const inputSchema = z.object({ from: z.string() });
  const tools = [...described].map(([id, description]) => {
    const run = ({ from }: { from: string }, context: unknown): Promise<unknown> => execute(id, from, context);
    const providerOptions = { soak: { owner } };
    return [id, createTool({ id, description, inputSchema, providerOptions, execute: run } as never)];
  });
  return Object.fromEntries(tools);
}

export function ownerOf(tool: MastraTool): unknown {
  return tool.providerOptions?.['soak']?.['owner'];
}

/** Shares that are denied. */
const DENIED: Readonly<Record<ToolSearchFilterPhase, number>> = { search: 0.1, load: 0.08, active: 0.06 };

export function isPermitted(user: string, toolName: string, phase: ToolSearchFilterPhase): boolean {
  return shareOf(`${user} ${toolName} ${phase}`) >= DENIED[phase];
}

/** Milliseconds, 0 to 3, that the filter takes to answer. */
export function delayOf(user: string, toolName: string): number {
  return Math.floor(shareOf(`${user} ${toolName}`) * 4);
}

/** From 0 to 1, by a hash of the text. */
function shareOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) + 1;
  return randomFrom(hash)();
}
