// Tools of the constructor, and those that a conversation brings along, which differ from request to request.
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { MastraTool } from '../../../src/index.ts';

export interface Described {
  readonly name: string;
  readonly description: string;
}

/** Who has a conversation, and what is special about it. */
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
const VERBS = 'create update delete find send export archive approve print share restore count merge copy rename'.split(
  ' ',
);
const NOUNS = (
  'invoice customer ticket calendar email contract warehouse shipment payroll holiday report campaign dashboard ' +
  'repository password meeting voucher supplier survey photo'
).split(' ');

/** The tools of the constructor. */
export const SHARED: readonly Described[] = NOUNS.flatMap((noun) =>
  VERBS.map((verb) => ({
    name: `${verb}_${noun}`,
    description: `Can ${verb} the ${noun} that is named in the input.`,
  })),
);

/** Users have two conversations each, and thread ids are used by many users. */
export function profileOf(number: number): Profile {
  const id = `cv${String(number).padStart(3, '0')}`;
  const group = `gr${String(number % GROUPS).padStart(2, '0')}`;
  const profile = { id, group, number, user: `user-${Math.floor(number / 2)}` };
  return number % 10 === 9 ? profile : { ...profile, thread: `thread-${number % 7}` };
}

/** What a conversation brings along to one of its requests. */
export function ownOf({ id, group, number }: Profile, request: number): readonly Described[] {
  const own = NOUNS.slice(0, 8).map((noun) => tool(`${noun}_statistics_${group}`, `Adds up each ${noun} of ${group}.`));
  // The same names in all groups, with other texts.
  for (const noun of NOUNS.slice(8, 11)) own.push(tool(`${noun}_digest`, `A digest of each ${noun} of ${group}.`));
  // In the place of tools of the constructor.
  for (const place of [7, 130]) {
    const { name } = SHARED[(place + 13 * (number % GROUPS)) % SHARED.length] as Described;
    own.push(tool(name, `Does ${name.replace('_', ' ')} as it is done in ${group}.`));
  }
  if (number % 4 === 1) {
    for (const noun of NOUNS.slice(0, 3)) own.push(tool(`${noun}_secret_${id}`, `Tells a ${noun} of ${id} alone.`));
  }
  // One more in each request, up to six, then one less.
  const changing = number % 5 === 2 ? Math.abs((request % 12) - 6) : 0;
  for (let page = 0; page < changing; page++) own.push(tool(`page_${page}_${id}`, `Reads page ${page} of ${id}.`));
  // So many that its index cannot be made of another's.
  const many = number % 40 === 7 ? 120 : 0;
  for (let one = 0; one < many; one++) own.push(tool(`record_${one}_${id}`, `Opens record ${one} of ${id}.`));
  return own;
}

function tool(name: string, description: string): Described {
  return { name, description };
}

/** Whose the tools of the constructor are. */
export const SHARED_OWNER = 'all';

const inputSchema = z.object({ from: z.string() });

/** @param owner - what the filter sees of a tool, by {@link ownerOf}: a request's own tools are of that request. */
export function toolOf(
  { name, description }: Described,
  owner: string,
  execute: (toolName: string, from: string, context: unknown) => Promise<unknown>,
): MastraTool {
  const run = ({ from }: { from: string }, context: unknown): Promise<unknown> => execute(name, from, context);
  const providerOptions = { soak: { owner } };
  return createTool({ id: name, description, inputSchema, providerOptions, execute: run } as never) as MastraTool;
}

export function ownerOf(tool: MastraTool): unknown {
  return tool.providerOptions?.['soak']?.['owner'];
}
