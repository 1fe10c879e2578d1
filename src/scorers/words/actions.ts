import { stem } from './stem.ts';

/** Endings of nouns that are made of verbs, with what the verb has instead. Stemming does not take these off short verbs. */
const ENDINGS: readonly (readonly [noun: string, ...verb: readonly string[]])[] = [
  ['ication', 'y'],
  ['ation', 'ate', 'e', ''],
  ['ition', 'e', ''],
  ['ision', 'ide'],
  ['ription', 'ribe'],
  ['version', 'vert'],
  ['ension', 'end'],
  ['ansion', 'and'],
  ['olution', 'olve'],
  ['mission', 'mit'],
  ['ment', ''],
];
/** A shorter rest says too little: a station is no state. */
const MIN_REST = 3;

/** The verbs that a noun may be made of, whether they exist or not: `addition` of add, `division` of divide. */
export function verbsOf(noun: string): readonly string[] {
  const found = ENDINGS.find(([ending]) => noun.endsWith(ending));
  if (!found) return [];
  const [ending, ...verbs] = found;
  const rest = noun.slice(0, -ending.length);
  // The rest of "division" is "div".
  return rest.length < MIN_REST ? [] : verbs.map((verb) => rest + verb);
}

/** The verbs that tools are named by, in kinds: one kind for what authors choose among freely. */
const KINDS = [
  `get list show view find search fetch read retrieve describe check lookup query count display see browse look enumerate
  inspect`,
  `create add new make insert generate register build put compose write post schedule book send reply forward`,
  `update edit modify change set patch rename replace adjust alter`,
  `delete remove erase drop destroy clear purge trash discard`,
  `move copy duplicate clone transfer`,
  `start run execute launch trigger enable activate resume invoke`,
  `stop cancel pause disable deactivate kill terminate abort suspend`,
];

/** Verbs that may mean to delete or to end, beside those that tools are named by. */
const MAY_DELETE = `revoke detach strip prune empty flush dispose eliminate dismiss kick ban bin dump throw undo unpin unlike
  unfollow unlink uninstall unpublish unassign unsubscribe unstar unshare untag unregister unset unbind`;

/** The kind of what takes something away for good, and that of what ends something: who cancels an event may delete it. */
export const DELETING = 4;
export const STOPPING = 7;

let mayDelete: ReadonlySet<string> | undefined;
let kinds: ReadonlyMap<string, number> | undefined;

/** The kinds of action by the stems of their verbs, numbered from 1. */
export function actionKinds(): ReadonlyMap<string, number> {
  kinds ??= new Map(
    KINDS.flatMap((verbs, at) => verbs.split(/\s+/).map((verb): [string, number] => [stem(verb), at + 1])),
  );
  return kinds;
}

/** Whether a verb may mean to delete something, or to end it, by its stem. */
export function mayMeanDelete(root: string): boolean {
  mayDelete ??= new Set(MAY_DELETE.split(/\s+/).map(stem));
  const kind = actionKinds().get(root);
  return kind === DELETING || kind === STOPPING || mayDelete.has(root);
}
