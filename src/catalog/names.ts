import { hash } from 'node:crypto';
import { ToolSearchError } from '../errors.ts';
import { didYouMean, likeliestNames } from '../util/suggest.ts';
import { clean, lazyRegex } from '../util/text.ts';
import { type Catalog, namesIn } from './catalog.ts';
import { isMastraTool, isProviderTool } from './tool.ts';

/** Letters of a hash: enough that no two names of one catalog share them. */
const HASH_LENGTH = 8;
/** Characters of a name that is too long which stay at its beginning, its server most often, and at its end. */
const START_LENGTH = 24;
const END_LENGTH = 30;

/**
 * A name that providers accept in place of one that they refuse, always the same. Letters of other alphabets are written
 * in Latin ones, and what else is refused becomes `_`. A name with letters that have no such spelling gets a hash of the
 * whole, and so does one whose like is taken. One that is too long keeps its beginning and its end, with the hash between.
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

/** The name that versions before 0.10 gave in place of a refused one: stores and conversations may have it. */
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

/** Letters that Unicode does not take apart into a Latin letter and a mark, and German umlauts, which are two letters. */
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

/** The name with letters of other alphabets in Latin ones, as far as they have a usual spelling. */
function inLatin(name: string): string {
  return Array.from(name.normalize('NFC'), (letter) => {
    const small = letter.toLowerCase();
    const plain = small.normalize('NFKD').replace(MARKS(), '');
    const latin = LATIN.get(small) ?? Array.from(plain, (each) => LATIN.get(each) ?? each).join('');
    if (small === letter) return latin;
    return latin.slice(0, 1).toUpperCase() + latin.slice(1);
  }).join('');
}

/** Whether a name has letters or digits that its repaired form lacks, or nothing but signs. */
function hasLostLetters(name: string): boolean {
  const latin = inLatin(name);
  return FOREIGN().test(latin) || !/[A-Za-z0-9]/.test(latin);
}

/** Characters of an original name that stand in a description. */
const MAX_ORIGINAL = 128;

/** The description of a tool; with the name that its author gave it in front, where that is no longer to be read. */
export function describedByName(description: string, originalName: string | undefined): string {
  if (originalName === undefined || !hasLostLetters(originalName)) return description;
  const name = clean(originalName, MAX_ORIGINAL);
  return name === '' || description.includes(name) ? description : joinTexts(name, description);
}

const joinTexts = (name: string, description: string): string =>
  description === '' ? name : `${name}: ${description}`;

/** A key that Mastra leaves as it is. */
const KEPT_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** The key under which Mastra keeps a tool among an agent's own: what its `formatTools` makes of a name. */
export function agentKey(name: string): string {
  if (KEPT_KEY.test(name)) return name;
  const repaired = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(repaired) ? repaired : `_${repaired}`).slice(0, 63);
}

/** Tools that Mastra's own prompts and memory know by their key alone. */
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

/** Whether Mastra made the `id`: for an AI SDK tool with a description it is a hash of that. */
function isMadeUp(id: string, tool: object): boolean {
  if (isMastraTool(tool) || !id.startsWith('tool-')) return false;
  const { description } = tool as { description?: unknown };
  if (typeof description !== 'string' || description === '') return false;
  return id === `tool-${hash('sha256', description, 'hex').slice(0, 8)}`;
}

/**
 * Whether Mastra may have made the `id` by chance, anew in each run, as it does for a tool without a description. Such
 * an `id` is no name for the model; a filter is asked by it, as somebody may have written it after all.
 */
function isPerhapsByChance(tool: object): boolean {
  const { id } = tool as { id?: unknown };
  if (isMastraTool(tool) || typeof id !== 'string' || !/^tool-[0-9a-z]{1,7}$/.test(id)) return false;
  return !(tool as { description?: unknown }).description;
}

interface ResolvedName {
  readonly name: string;
  readonly originalName: string;
  /** Whether its `id` is taken by another tool, so that it is called by its key. */
  readonly isShared: boolean;
  /** The name that versions before 0.10 gave it. */
  readonly formerName?: string;
}

/**
 * The names of a request's own tools, by key: as in @mastra/core their `id`, in a form that providers accept. A tool
 * whose `id` is the key or the name of another tool is called by its key: Mastra looks for the tool of a call by key
 * first, and would find the wrong one.
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
  // Only now, so that a repaired name never takes the place of a tool that really has it.
  for (const { key, originalName } of odd) {
    const isOthers = (other: string): boolean => other !== key && isUsed(other);
    const name = repairName(originalName, isOthers);
    const isFree = name === key || !isUsed(name);
    add(key, originalName, isFree ? name : agentKey(key), false, formerName(originalName, isOthers));
  }
  return names;
}

/**
 * Refuses names in an option that none of the constructor's tools is called by.
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
