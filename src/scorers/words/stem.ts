import { stemmer } from 'stemmer';

/**
 * Words to which Porter's rules give the stem of a word that means something else in a tool (news and new, customer and
 * custom, general and generate), or another stem than that of their own word (indices and index). Groups end with a
 * semicolon; the first word of a group is the stem of all. Found by listing the words of 25,000 tools that share a stem.
 */
const EXCEPTIONS = `
  news; marketing; united; evening; incoming; settings setting; savings; department departments;
  engineer engineers engineering; officer officers; population populations; transition transitions;
  exception exceptions; edition editions; optional optionally; activity activities; useful; indicator indicators;
  contentful; personality; personal personally personalize personalized personalization; applicant applicants;
  applicable; authorize authorizes authorized authorizing authorization authorizations; authority authorities;
  general generally; generic; presentation presentations; initiative initiatives; initial initially; accessibility;
  publication publications; publicity; important importance; fitness; positive positively; animal animals; anime;
  conversion conversions; organs organ; organic; organization organizations organizational; organism organisms;
  add added adding; international; original originally; commune; community communities;
  effective effectively effectiveness; terminal terminals; locale locales; ide;
  responsible responsibility responsibilities; responsive; digital; objective objectives; customer customers; customs;
  executive executives; experiment experiments; several; production productions; productivity; medication medications;
  hospitality; liquidity; capitalization; direction directions directional; university universities; universe; integrity;
  excellent; expensive; disability disabilities; busy; designated; literal; critical; wellness; allowance allowances;
  paste pasted pastes pasting; suite suites; venus; mobility; canvas canvases; pos; ios; cms; gps; index indices;
  matrix matrices; vertex vertices; analysis analyses; criteria criterion; child children; person people;
  status statuses; alias aliases; focus focuses focused focusing; virus viruses; bus buses
`;

/** The exceptions: a word, and its stem. */
export const STEMS: readonly (readonly [word: string, stem: string])[] = EXCEPTIONS.split(';').flatMap((group) => {
  const [root = '', ...others] = group.trim().split(/\s+/);
  return [root, ...others].map((word) => [word, root] as const);
});

const LATIN = /^[a-z]+$/;
/** Stems by word: the exceptions, and those that were found before. */
const stems = new Map(STEMS);
const MAX_STEMS = 50_000;

/** The English stem (Porter) of a lower-case word; words of other scripts, with digits, or short ones are their own. */
export function stem(word: string): string {
  if (word.length < 3 || !LATIN.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const root = stemmer(word);
  // The currency aed is no ending of the letter a.
  const stemmed = root.length < 2 ? word : root;
  // Words of tools repeat; a hostile stream of new ones must not grow the memory.
  if (stems.size >= MAX_STEMS) {
    stems.clear();
    for (const [exception, root] of STEMS) stems.set(exception, root);
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** The letters that a word has in common with its stem: the first two, where y may become i. */
export function beginningOf(word: string): string {
  return word[1] === 'y' ? `${word[0]}i` : word.slice(0, 2);
}

/** Words that say nothing about a tool. Small on purpose: "up", "all", "not" or "new" may be what is asked for. */
const STOP_WORDS = new Set(
  `a an and are as at be been by can could do does for from had has have how i if in into is it its let me my of on
  or our please should so some than that the their them then there these they this those to use used uses using want
  was we were what when where which will with would you your`.split(/\s+/),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The words without those that say nothing, unless nothing else is there. */
export function contentWords(all: readonly string[]): readonly string[] {
  const content = all.filter((word) => !STOP_WORDS.has(word));
  return content.length > 0 ? content : all;
}
