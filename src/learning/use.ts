import { createHmac, randomBytes } from 'node:crypto';
import type { LearnedUse } from '../kit.ts';

/** Characters of the hash of a word, and of a conversation, six bits each: enough for the uses of one scope. */
const WORD = 6;
const VOTER = 4;
const SEPARATOR = '.';
/** Stands behind the hash of the conversation. */
const FIRST = '1';
/** Characters of the longest use: an entry that is longer was not written here. */
const MAX_USE = 500;

/** A use of a tool: what was asked, in which conversation, when. Words and conversation are hashes. */
export interface Use {
  readonly words: readonly string[];
  /** The conversation: it has one vote. */
  readonly voter: string;
  readonly tool: string;
  readonly usedAt: number;
  /** Whether the search had put the tool first by itself, without what use adds. */
  readonly wasFirst?: boolean;
}

/** A new key for a scope. */
export function newKey(): string {
  return randomBytes(18).toString('base64url');
}

/** The words of a query as their scope knows them: in order of their hashes, so that nothing tells of the sentence. */
export function hashedWords(words: readonly string[], key: string): readonly string[] {
  return [...new Set(words.map((word) => hashed(`word ${word}`, key, WORD)))].sort();
}

export function hashedRater(conversation: string, key: string): string {
  return hashed(`conversation ${conversation}`, key, VOTER);
}

function hashed(text: string, key: string, length: number): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, length);
}

/** A use as a store keeps it. */
export function written({ words, voter, tool, usedAt, wasFirst }: Use): LearnedUse {
  return { use: [words.join(''), wasFirst ? voter + FIRST : voter, tool].join(SEPARATOR), usedAt };
}

/** Whether it is a text that may be a use. */
export function isUse(use: unknown): use is string {
  return typeof use === 'string' && use.length <= MAX_USE;
}

/** Reads a use; undefined for what was written otherwise. */
export function readUse({ use, usedAt }: LearnedUse): Use | undefined {
  if (!isUse(use)) return undefined;
  const [words = '', mark = '', ...rest] = use.split(SEPARATOR);
  const [voter, first] = [mark.slice(0, VOTER), mark.slice(VOTER)];
  const tool = rest.join(SEPARATOR);
  const isMarked = voter.length === VOTER && (first === '' || first === FIRST);
  if (words.length % WORD > 0 || !isMarked || tool === '' || !Number.isFinite(usedAt)) return undefined;
  const list: string[] = [];
  for (let at = 0; at < words.length; at += WORD) list.push(words.slice(at, at + WORD));
  return { words: [...new Set(list)], voter, tool, usedAt, ...(first === FIRST ? { wasFirst: true } : {}) };
}
