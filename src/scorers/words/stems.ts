/**
 * Words to which Porter's rules give the stem of a word that means something else in a tool (news and new, customer and
 * custom, general and generate), or another stem than that of their own word (indices and index). Groups end with a
 * semicolon; the first word of a group is the stem of all. Found by listing the words of 25,000 tools that share a stem;
 * after a change: npm run build:thesaurus.
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
