import { hash } from 'node:crypto';
import { ToolSearchError } from '../errors.ts';
import { didYouMean, likeliestNames } from '../util/suggest.ts';
import { clean, lazyRegex } from '../util/text.ts';
import { type Catalog, namesIn } from './catalog.ts';
import { isMastraTool, isProviderTool } from './tool.ts';

/** Hex digits of a name's hash: enough to avoid collisions within a catalog. */
const HASH_LENGTH = 8;
/** Characters that an overlong name keeps at its start (usually the server) and at its end. */
const START_LENGTH = 24;
const END_LENGTH = 30;

/**
 * Turns a name that providers refuse into one that they accept; the result is deterministic. Letters of other alphabets are
 * transliterated, other refused characters become `_`. A hash of the name is added where letters cannot be transliterated or
 * the result is taken. An overlong name keeps its start and its end, with the hash between them.
 */
export function repairName(name: string, isTaken: (name: string) => boolean): string {
  const latin = inLatin(name);
  const hasLost = hasLostLetters(name);
  const repaired = latin.replace(/[^A-Za-z0-9_-]/gu, '_');
  const base = hasLost ? withoutGaps(repaired) : repaired;
  if (!hasLost && isAcceptedName(base) && !isTaken(base)) return base;
  const mark = hash('sha256', name, 'hex').slice(0, HASH_LENGTH);
  const marked = `${base === '' ? 'tool' : base}_${mark}`;
  if (marked.length <= MAX_NAME) return marked;
  return `${startOf(base)}_${mark}_${endOf(base)}`;
}

/** The repaired name that versions before 0.10 gave: stores and conversations may still contain it. */
export function formerName(name: string, isTaken: (name: string) => boolean): string {
  const repaired = name.replace(/[^A-Za-z0-9_-]/gu, '_');
  if (isAcceptedName(repaired) && !isTaken(repaired)) return repaired;
  const start = repaired.slice(0, MAX_NAME - HASH_LENGTH - 1);
  return `${start}_${hash('sha256', name, 'hex').slice(0, HASH_LENGTH)}`;
}

/** The first words of a name that is too long. */
function startOf(name: string): string {
  const start = name.slice(0, START_LENGTH);
  return /^(.{8,})[_-]/.exec(start)?.[1] ?? start;
}

/** The last words of a name that is too long. */
function endOf(name: string): string {
  const end = name.slice(-END_LENGTH);
  return /[_-]([A-Za-z0-9].{7,})$/.exec(end.slice(0, END_LENGTH))?.[1] ?? end;
}

function withoutGaps(name: string): string {
  return name.replace(/_{2,}/g, '_').replace(/^_|_$/g, '');
}

/** Transliterations that Unicode decomposition does not give; German umlauts become two letters. */
const LATIN: ReadonlyMap<string, string> = new Map(
  `ä ae ö oe ü ue ß ss æ ae œ oe ø o å a ł l đ d ð d þ th ı i ħ h ŋ ng
  а a б b в v г g ґ g д d е e є ie ж zh з z и i і i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh
  щ shch ъ * ы y ь * э e ю iu я ia
  α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o`
    .split(/\s+/)
    .flatMap((letter, at, all): [string, string][] =>
      at % 2 === 0 ? [[letter, (all[at + 1] ?? '').replace('*', '')]] : [],
    ),
);
const MARKS = lazyRegex(String.raw`\p{M}`, 'gu');
const FOREIGN = lazyRegex(String.raw`(?![A-Za-z0-9])[\p{L}\p{N}]`, 'u');

/** Transliterates a name into Latin letters, as far as `LATIN` and Unicode decomposition reach. */
function inLatin(name: string): string {
  return Array.from(name.normalize('NFC'), (letter) => {
    const small = letter.toLowerCase();
    const plain = small.normalize('NFKD').replace(MARKS(), '');
    const latin = LATIN.get(small) ?? Array.from(plain, (each) => LATIN.get(each) ?? each).join('');
    if (small === letter) return latin;
    return latin.slice(0, 1).toUpperCase() + latin.slice(1);
  }).join('');
}

/** Whether repair loses letters or digits of the name, or the name has none. */
function hasLostLetters(name: string): boolean {
  const latin = inLatin(name);
  return FOREIGN().test(latin) || !/[A-Za-z0-9]/.test(latin);
}

/** Maximum characters of an original name in a description. */
const MAX_ORIGINAL = 128;

/** A tool's description, prefixed with the original name where the repaired name has lost letters of it. */
export function describedByName(description: string, originalName: string | undefined): string {
  if (originalName === undefined || !hasLostLetters(originalName)) return description;
  const name = clean(originalName, MAX_ORIGINAL);
  return name === '' || description.includes(name) ? description : joinTexts(name, description);
}

const joinTexts = (name: string, description: string): string =>
  description === '' ? name : `${name}: ${description}`;

/** Keys that Mastra's `formatTools` does not change. */
const KEPT_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** The key that Mastra's `formatTools` makes of a name; an agent's own tools are kept under it. */
export function agentKey(name: string): string {
  if (KEPT_KEY.test(name)) return name;
  const repaired = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(repaired) ? repaired : `_${repaired}`).slice(0, 63);
}

/** Tools that Mastra's own prompts and memory name by key, never by `id`. */
const KNOWN_BY_KEY: readonly string[] = ['updateWorkingMemory', 'setWorkingMemory'];

/** The name by which @mastra/core calls a tool: its `id`, else its key. */
export function originalNameOf(key: string, tool: object): string {
  const { id } = tool as { id?: unknown };
  if (typeof id !== 'string' || id === '' || isMadeUp(id, tool)) return key;
  return id;
}

/** Whether the model may call a tool by its `id`. A provider's tool is called by its key. */
export function isCalledById(key: string, tool: object): boolean {
  return !isProviderTool(tool) && !KNOWN_BY_KEY.includes(key) && !isPerhapsByChance(tool);
}

/** Whether Mastra made the `id`: an AI SDK tool's is then a hash of its description. */
function isMadeUp(id: string, tool: object): boolean {
  if (isMastraTool(tool) || !id.startsWith('tool-')) return false;
  const { description } = tool as { description?: unknown };
  if (typeof description !== 'string' || description === '') return false;
  return id === `tool-${hash('sha256', description, 'hex').slice(0, 8)}`;
}

/**
 * Whether the `id` looks like the random one that Mastra makes, anew in each run, for a tool without a description. The model
 * does not call a tool by such an `id`; the filter is still asked by it, because a user may have written it.
 */
function isPerhapsByChance(tool: object): boolean {
  const { id } = tool as { id?: unknown };
  if (isMastraTool(tool) || typeof id !== 'string' || !/^tool-[0-9a-z]{1,7}$/.test(id)) return false;
  return !(tool as { description?: unknown }).description;
}

interface ResolvedName {
  readonly name: string;
  readonly originalName: string;
  /** Whether another tool has the `id`, so that this tool is called by its key. */
  readonly isShared: boolean;
  /** The name that versions before 0.10 gave the tool. */
  readonly formerName?: string;
}

/**
 * The names of a request's tools, by key. As in @mastra/core, a tool's name is its `id`, repaired where providers refuse it.
 * A tool whose `id` is another tool's key or name is called by its own key: Mastra looks up a called tool by key first, and
 * would find the other tool.
 */
export function resolvedNames(
  tools: Iterable<readonly [key: string, tool: object]>,
  isTaken: (name: string) => boolean,
): ReadonlyMap<string, ResolvedName> {
  const all = [...tools];
  const names = new Map<string, ResolvedName>();
  const used = new Set(all.flatMap(([key]) => [key, agentKey(key)]));
  const odd: { key: string; originalName: string }[] = [];
  const isUsed = (name: string): boolean => used.has(name) || isTaken(name);
  const add = (key: string, originalName: string, name: string, isShared = false, former?: string): void => {
    used.add(name);
    names.set(key, { name, originalName, isShared, ...(former === undefined ? {} : { formerName: former }) });
  };
  for (const [key, tool] of all) {
    const originalName = originalNameOf(key, tool);
    if (originalName === key || originalName === agentKey(key) || !isCalledById(key, tool))
      add(key, originalName, agentKey(key));
    else if (!isAcceptedName(originalName)) odd.push({ key, originalName });
    else if (isUsed(originalName)) add(key, originalName, agentKey(key), true);
    else add(key, originalName, originalName);
  }
  // Repaired last, so that a repaired name never displaces a tool that really has the name.
  for (const { key, originalName } of odd) {
    const isOthers = (other: string): boolean => other !== key && isUsed(other);
    const name = repairName(originalName, isOthers);
    const isFree = name === key || !isUsed(name);
    add(key, originalName, isFree ? name : agentKey(key), false, formerName(originalName, isOthers));
  }
  return names;
}

/**
 * Throws if an option names a tool that the constructor's tools do not contain.
 *
 * @param remark - the end of the message, with the space before it.
 * @throws ToolSearchError `invalid-option`
 */
export function refuseUnknownNames(
  option: string,
  written: Iterable<string>,
  catalog: Pick<Catalog, 'get' | 'entries'>,
  remark = '',
): void {
  for (const spelling of written) {
    const name = catalog.get(spelling)?.name;
    if (name === spelling) continue;
    const hint = didYouMean(name === undefined ? likeliestNames(spelling, namesIn(catalog)) : [name]);
    throw new ToolSearchError(
      'invalid-option',
      `"${option}" has "${spelling}", which is none of "tools".${hint}${remark}`,
    );
  }
}

/** Characters of a name that all large providers accept. */
export const MAX_NAME = 64;
const ACCEPTED_NAME = /^[A-Za-z0-9_-]+$/;

/** Whether every large provider accepts the name for a tool, and a record of Mastra's can have it for a key. */
export function isAcceptedName(name: string): boolean {
  return name.length <= MAX_NAME && ACCEPTED_NAME.test(name) && name !== '__proto__';
}
