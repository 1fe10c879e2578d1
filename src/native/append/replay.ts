import type { Prompt } from '../../kit.ts';
import type { Change, Definition, Dialect } from '../dialect.ts';
import { type Changes, changesNoted } from './changes.ts';

/** What a replay needs to know of one request. */
export interface Replay {
  /** The definitions that the model is to have in the end, by name, in order. */
  readonly wanted: ReadonlyMap<string, Definition>;
  readonly digestOf: (definition: Definition) => string;
  readonly dialect: Pick<Dialect, 'name' | 'canRemove' | 'changesMessage'>;
  /** A definition that the conversation notes; undefined where this request must not or cannot be sent it. */
  readonly noted: (name: string, digest: string) => Definition | undefined;
}

/** A prompt with the changes in it. */
export interface Replayed {
  readonly prompt: Prompt;
  /** The changes at its end, which the answer is to note. */
  readonly changes: Changes | undefined;
  /** Names of the tools that the model has by its changes. */
  readonly there: ReadonlySet<string>;
}

/**
 * Puts definitions into a prompt: each where an earlier answer notes that it was, and what is new at the end. So the
 * prompt begins as the one before it did. What was cut off with its note comes at the end, once.
 */
export function replay(prompt: Prompt, { wanted, dialect, digestOf, noted }: Replay): Replayed {
  const there = new Map<string, string>();
  const { name: dialectName, canRemove } = dialect;
  const placed = new Places(dialect.changesMessage);
  const digests = new Map([...wanted].map(([name, tool]) => [name, digestOf(tool)]));
  const notes = new Map(prompt.map((each) => [each, notesIn(each, dialectName)]));
  // What cannot be removed is not replaced either: of several definitions of a tool, the last one counts.
  const last = canRemove ? undefined : new Map([...lastNoted(notes, noted), ...digests]);
  for (const each of prompt) {
    // A conversation that was cut may begin with an answer.
    if (placed.hasPlace) {
      for (const { added, removed } of notes.get(each) ?? []) {
        const changes: Change[] = [];
        // What the beginning of the conversation added may be cut off.
        for (const name of canRemove ? removed : []) if (there.delete(name)) changes.push({ type: 'removal', name });
        for (const [name, digest] of added) {
          const isNew = there.get(name) !== digest && (!last || last.get(name) === digest);
          const tool = isNew ? noted(name, digest) : undefined;
          if (!tool) continue;
          there.set(name, digest);
          changes.push({ type: 'addition', tool });
        }
        placed.put(changes);
      }
    }
    placed.push(each);
  }

  const removed = canRemove ? [...there.keys()].filter((name) => !wanted.has(name)) : [];
  const added = [...digests].filter(([name, digest]) => there.get(name) !== digest);
  const changes: Change[] = [
    ...removed.map((name): Change => ({ type: 'removal', name })),
    ...added.map(([name]): Change => ({ type: 'addition', tool: wanted.get(name) as Definition })),
  ];
  if (!placed.put(changes)) return { prompt: placed.prompt, changes: undefined, there: new Set(there.keys()) };
  const left = [...there.keys()].filter((name) => !removed.includes(name));
  return {
    prompt: placed.prompt,
    changes: { added: new Map(added), removed },
    there: new Set([...left, ...digests.keys()]),
  };
}

function notesIn({ role, content }: Prompt[number], dialect: string): readonly Changes[] {
  if (role !== 'assistant' || !Array.isArray(content)) return [];
  return content.flatMap((part) => changesNoted(part, dialect) ?? []);
}

/** The digests of the last definitions that are noted and may be sent, by name. */
function lastNoted(
  notes: ReadonlyMap<unknown, readonly Changes[]>,
  noted: Replay['noted'],
): ReadonlyMap<string, string> {
  const all = [...notes.values()].flat();
  return new Map(all.flatMap(({ added }) => [...added].filter(([name, digest]) => noted(name, digest))));
}

/**
 * A prompt that is built message by message. Changes stand behind a message of the user or a tool, and in front of the
 * answer: providers refuse them elsewhere.
 */
class Places {
  readonly #message: Dialect['changesMessage'];
  readonly #prompt: Prompt[number][] = [];
  /** The changes of each message that holds such. */
  readonly #changes = new Map<Prompt[number], readonly Change[]>();

  constructor(message: Dialect['changesMessage']) {
    this.#message = message;
  }

  get prompt(): Prompt {
    return this.#prompt;
  }

  /** Whether changes may stand behind the last message. */
  get hasPlace(): boolean {
    return this.#place !== -1;
  }

  push(message: Prompt[number]): void {
    this.#prompt.push(message);
  }

  get #place(): number {
    return this.#prompt.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  }

  /** @returns whether there were changes, and a place for them. */
  put(changes: readonly Change[]): boolean {
    const at = this.#place;
    if (changes.length === 0 || at === -1) return false;
    const next = this.#prompt[at + 1];
    const before = next && this.#changes.get(next);
    const all = [...(before ?? []), ...changes];
    const message = this.#message(all);
    this.#changes.set(message, all);
    this.#prompt.splice(at + 1, before ? 1 : 0, message);
    return true;
  }
}
