import { DELETING } from '../words/actions.ts';
import { askedAction } from './asked.ts';
import type { WordMatch } from './match-cache.ts';
import type { NameFit } from './segment.ts';
import type { Bm25Settings } from './settings.ts';

/** Words of a short query. It says all that is wanted of a name; a longer one tells a task, in other words than names. */
const SHORT = 4;
/** Kinds of action that fit in a byte. */
const KINDS = 256;

/**
 * Makes a function that gives for a document the factor of its name: more for what is asked of it and for the kind of its
 * action, less for what is not.
 */
export function nameFactors(
  words: readonly WordMatch[],
  fitOf: (id: number) => Readonly<NameFit>,
  actionOf: (id: number) => number,
  settings: Bm25Settings,
): (id: number) => number {
  const { nameCoverage, fullName } = settings;
  const stranger = words.length > SHORT ? 0 : settings.stranger;
  const actions = actionFactors(words, settings);
  return (id) => {
    const { share, strangers } = fitOf(id);
    const bonus = nameCoverage * share + (share === 1 ? fullName : 0);
    return ((1 + bonus) * (actions[actionOf(id)] ?? 1)) / (1 + stranger * strangers);
  };
}

/** The factor of a name that is asked for wholly. */
export function highestFactor({ nameCoverage, fullName, action }: Bm25Settings): number {
  return (1 + (nameCoverage + fullName)) * (1 + action);
}

/** The factors of the kinds of action, by their number. */
function actionFactors(words: readonly WordMatch[], { action, unaskedDelete }: Bm25Settings): Float64Array {
  const asked = askedAction(words);
  const factors = new Float64Array(KINDS).fill(asked === 0 ? 1 : 1 - action);
  // A word that nothing is known of may ask for anything.
  const mayAsk = words.some((word) => word.asksToDelete || (word.idf === 0 && word.action === 0));
  if (!mayAsk) factors[DELETING] = 1 - unaskedDelete;
  factors[asked] = 1 + action;
  factors[0] = 1;
  return factors;
}
