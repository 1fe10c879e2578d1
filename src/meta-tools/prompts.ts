import type { MetaToolNames } from '../step/step.ts';
import { clean, cleanName, describeTool, echo, MAX_DESCRIPTION } from '../util/text.ts';

/**
 * Every sentence that an agent's model reads from this package, and why it is worded so.
 *
 * "Measured" means `npm run bench:model -- --first-search`, or whole runs of that bench, with Qwen2.5-Coder-Instruct 1.5B
 * and 0.5B: docs/performance.md has the tables. A small model shows what confuses a large one now and then. Run it before a
 * sentence changes.
 *
 * Rules that came of it:
 * - No literal example of a query: 5 of 62 first searches copied one. What shows a syntax names it, and is no value.
 * - Say what to call next by its name. "Already loaded and available" made 5 of 8 runs load the same tool until they were
 *   cut.
 * - What could be wrong after a repetition is said more firmly, then answered in another way, then no longer possible: the
 *   meta-tool is not sent (`repeatedTools`).
 * - Where core has a sentence and nothing was measured against it, ours is core's.
 */

/** A name that no tool has, and suggestions of similar names. */
export interface UnknownName {
  readonly name: string;
  readonly suggestions: readonly string[];
  /** Whether each suggestion is the name with the prefix of a server. */
  readonly isAmbiguous?: boolean;
}

// Parts of sentences

const MAX_LISTED = 10;

const quote = (text: string): string => `"${echo(text)}"`;
const quoteAll = (texts: readonly string[]): string => texts.slice(0, 5).map(quote).join(', ');
const list = (names: readonly string[]): string => names.map(cleanName).join(', ');

/** Lists the first names, and the number of the others. */
function listSome(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${list(names.slice(0, MAX_LISTED))}${more > 0 ? ` and ${more} more` : ''}`;
}

const callNow = (names: readonly string[]): string => (names.length === 1 ? 'Call it now' : 'Call them now');

const unknownName = ({ name, suggestions }: UnknownName): string =>
  suggestions.length > 0 ? `${echo(name)} (did you mean ${list(suggestions)}?)` : echo(name);

const ignored = (count: number): string => `${count} more name(s) were ignored; load fewer at a time`;

export const joined = (separator: string, ...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string').join(separator);

/** Tool definitions as JSON. Escapes `<`, so that no text of a tool can close the tag around them. */
const tagged = (tools: readonly object[]): string =>
  tools.map((tool) => JSON.stringify(tool).replaceAll('<', '\\u003c')).join('\n');

// System texts

/**
 * How to find tools. Load mode uses the words of @mastra/core, because users wrote their prompts around these.
 *
 * @param atHand - preselected tools, with which a run begins. Core's words speak of tools that have to be loaded: of
 * seven models that read these words and had a tool in their list, five searched for the tool and loaded it.
 */
export function systemText(names: MetaToolNames, autoLoad: boolean, atHand: readonly string[] = []): string {
  if (atHand.length > 0) return atHandText(names, autoLoad, atHand);
  return autoLoad
    ? `To discover available tools, call ${names.search} with a keyword query. Matching tools are loaded automatically — there is no separate load step. After searching, call the tool directly.`
    : `To discover available tools, call ${names.search} with a keyword query. To add one or more tools to the conversation, call ${names.load} with a toolName or toolNames array. Tools must be loaded before they can be used.`;
}

function atHandText(names: MetaToolNames, autoLoad: boolean, atHand: readonly string[]): string {
  const those = atHand.length === 1 ? 'This tool is in your list' : 'These tools are in your list';
  const which = atHand.length === 1 ? 'it' : 'one of them';
  const then = autoLoad ? 'then a tool that it found' : `then ${names.load} with a toolName that it returned`;
  return `${those} because the user's words ask for it: ${list(atHand)}. Call ${which} at once if it fits. For anything else, call ${names.search} with a keyword query, ${then}.`;
}

export const callSystemText = (search: string, bridge: string): string =>
  `There are more tools than you see. To discover them, call ${search} with a keyword query. To use a tool that is not in your list, call ${bridge} with its exact toolName and its arguments.`;

/**
 * `metaTools.systemText: 'firm'`, for models that explain how a task could be done instead of calling a tool. With the
 * first sentence of this text, up to the search, a model that had answered 2 of 10 tasks in prose called a tool in 8 of
 * 8 (1.5B, free to call or not).
 *
 * @param bridge - the name of `call_tool`, in call mode.
 * @param atHand - as in {@link systemText}.
 */
export function firmSystemText(
  names: MetaToolNames,
  autoLoad: boolean,
  bridge?: string,
  atHand: readonly string[] = [],
): string {
  if (atHand.length > 0)
    return `Do what the user asks with tools, do not explain how. ${atHandText(names, autoLoad, atHand)}`;
  const start = `You have many more tools than are listed. Do what the user asks with them, do not explain how: first call ${names.search}`;
  if (bridge !== undefined)
    return `${start}, then ${bridge} with a toolName that it returned and the tool's arguments.`;
  return autoLoad
    ? `${start}, then call a tool that it found.`
    : `${start}, then ${names.load} with a toolName that it returned, then that tool.`;
}

/** The system text if the provider searches. The provider's tool has a description, but models often forget the tool. */
export const hostedSearchText = (): string =>
  'There are more tools than you see. When you need a capability that you do not have, search for tools first, then call them directly.';

/** Call mode: preselected tools with their definitions. Empty if there are none. */
export function preselected(tools: readonly object[], bridge: string): string {
  if (tools.length === 0) return '';
  return `These tools may be what the user's words ask for. Call one with ${bridge}, without a search, if it fits.\n<suggested-tools>\n${tagged(tools)}\n</suggested-tools>`;
}

/** Call mode: the tool that `toolChoice` forces, with its definition. */
export const forced = (tool: object, bridge: string): string =>
  `You have to call this tool now, with ${bridge}.\n<tool>\n${tagged([tool])}\n</tool>`;

/** A hint after a call of a tool that was not loaded yet. */
export const calledLater = (name: string): string =>
  `The tool "${cleanName(name)}" was not loaded when you called it. It is available now: call it again.`;

/** A hint after a call of a meta-tool that is not sent, because the run has called it twice with the same input. */
export const calledInCircle = (name: string): string =>
  `You have called ${name} twice with the same input, and it would answer the same. Call a tool that you have, or answer without one.`;

/** A hint after a call by an unknown name, which the hint does not repeat. */
export const calledUnderAnotherName = (name: string): string =>
  `You called a tool by a name that no tool has. "${cleanName(name)}" is available now: call it by this name.`;

/** A hint after a call by the tool's own name, in call mode. */
export const calledWithoutBridge = (name: string, bridge: string): string =>
  `Call the tool "${cleanName(name)}" through ${bridge}, with it as toolName.`;

// Descriptions and parameters of the meta-tools

/** Without this instruction, models query for the data of the task ("Phoenix, AZ"). */
const WHAT_TO_ASK =
  'say in a few words what the tool must do and with which service, without the data it is to work on';
const SEARCH = `Search for available tools by keyword. Use this when you need a capability you don't currently have: ${WHAT_TO_ASK}. Returns a list of matching tools`;

export const searchDescription = (names: MetaToolNames, autoLoad: boolean): string =>
  autoLoad
    ? `${SEARCH}, which are loaded automatically: call them directly, there is no separate load step.`
    : `${SEARCH} with their names and descriptions. After finding a useful tool, use ${names.load} to make it available.`;

export const callSearchDescription = (bridge: string): string =>
  `${SEARCH} with what is needed to call them with ${bridge}.`;

export const loadDescription = (names: MetaToolNames): string =>
  `Load one or more tools into your context. Call this after finding tools with ${names.search}. Once loaded, tools will be available for use. Pass a single toolName or an array of toolNames to load multiple tools at once.`;

export const unloadDescription = (names: MetaToolNames): string =>
  `Unload tools that you no longer need, by an array of toolNames. They can be found with ${names.search} and loaded again.`;

export const callDescription = (search: string): string =>
  `Call a tool that is not in your list, as if it were: it runs at once and returns its own result. Find names and parameters with ${search}.`;

/**
 * `query` is declared as one text: with a choice of text or list, models copied the choice as the value (1 of 40
 * calls). Lists are accepted all the same. `maxResults` is accepted, but not declared: 21 of 60 first searches asked
 * for 1 result.
 */
export const parameterDescriptions = {
  query:
    'What the tool must do: service, action and object, in a few words. "+" before a word requires it; "select:" before exact names, separated by commas, gets those tools.',
  toolName: 'The exact name of a tool to load (from search results)',
  toolNames: 'Array of exact tool names to load in one call (from search results)',
  calledName: 'The exact name of the tool, as search results have it',
  calledArguments: "The tool's own arguments, by the names of its parameters",
} as const;

// Answers to a search

export const emptyQuery = (names: MetaToolNames): string =>
  `The query is empty. Call ${names.search} again with words for what you need.`;

/** The request has nothing to find. Forbidden tools look the same as no tools. */
export function noTools(isUnknown: boolean): string {
  const why = isUnknown ? ': the list of them could not be fetched' : '';
  return `No other tools are available at the moment${why}. Searching again does not help now: go on without, or say what is missing.`;
}

/** Nothing matches. `mayRetry` is false after several searches that led to nothing. */
export const nothingFound = (queries: readonly string[], mayRetry: boolean): string =>
  `No tools found matching ${quoteAll(queries)}.${mayRetry ? ' Try different keywords.' : ''}`;

export const foundByMessage = (): string => "Those with fromMessage were found by the user's own message.";

export const weakByMessage = (): string =>
  "Those with fromMessage were found by the user's own message, and none clearly matches it: read the descriptions before you use one.";

export const hasCopies = (): string =>
  'A name in alsoAs is the same tool on another server: use the one of the server that is meant.';

export const pendingServers = (names: readonly string[]): string =>
  `Still connecting: ${list(names)}. Their tools are not there yet: if what you need is one of them, search again later.`;

/** Matching skills, each with its tools. */
export const foundSkills = (skills: readonly { readonly name: string; readonly tools: readonly string[] }[]): string =>
  skills
    .map(({ name, tools }) => {
      const brings = tools.length > 0 ? `, which brings ${list(tools.slice(0, 10))}` : '';
      return `There is a skill for this: skill({ "name": ${JSON.stringify(name)} }) activates it${brings}.`;
    })
    .join(' ');

export const broughtBySkill = (skill: string, tools: readonly string[]): string =>
  `The skill ${JSON.stringify(cleanName(skill))} has loaded its tools, and you can call them now: ${list(tools)}.`;

export const noMatch = (queries: readonly string[]): string => `Nothing matches ${quoteAll(queries)}.`;

/** Apps that queries name and that no catalog tool mentions. */
export const noMention = (apps: readonly string[]): string => `No tool mentions ${quoteAll(apps)}.`;

export const searchedInVain = (count: number): string =>
  `You have searched ${count} times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user.`;

/** For searches that show only loadable tools: tools match, but the request may load none of them. */
export const nothingToLoad = (query: string, mayRetry: boolean): string =>
  `No tools available to load matching ${quote(query)}.${mayRetry ? ' Try different keywords.' : ''}`;

/**
 * The matches are weak: none is probably what was asked for. The answer says nothing else about them, because models
 * obey a "Call it now" beside this sentence.
 *
 * @param atHand - tools that can be called without a load.
 */
export function closest(
  queries: readonly string[],
  closestNames: readonly string[],
  names: MetaToolNames,
  autoLoad: boolean,
  mayRetry: boolean,
  atHand: readonly string[] = [],
): string {
  const load = autoLoad ? `Call ${names.search} with "select:" and its name` : `Use ${names.load}`;
  const there = closestNames.filter((name) => atHand.includes(name));
  const shown = closestNames.map((name) => `${cleanName(name)}${there.includes(name) ? ' (in your list)' : ''}`);
  let how = `${load} only for one that really fits`;
  if (there.length === closestNames.length) how = 'Call one only if it really fits';
  else if (there.length > 0) how = `${load}, or call one that is in your list, only where it really fits`;
  return `No tool clearly matches ${quoteAll(queries)}; closest: ${shown.join(', ')}. ${how}; else ${mayRetry ? 'search with other words, or ' : ''}go on without.`;
}

export const closestLoaded = (queries: readonly string[], loaded: readonly string[]): string =>
  `No tool clearly matches ${quoteAll(queries)}; the closest were loaded: ${list(loaded)}. Call one only if it really fits; else search with other words, or go on without.`;

/** The matches of some queries are weak, those of others are not. */
export const weakQueries = (queries: readonly string[]): string =>
  `No tool clearly matches ${quoteAll(queries)}: read the descriptions before you use one that was found for it.`;

export const ignoredQueries = (count: number): string => `${count} more queries were ignored; ask fewer at a time.`;

export const notAllChecked = (): string =>
  'Not all tools could be checked in time. If what you need is missing, search once more, or with more specific words.';

export const searchOutOfOrder = (query: string): string =>
  `The search for ${quote(query)} failed for a technical reason; no tools could be looked up. Try once more, else go on without.`;

export const found = (count: number, names: MetaToolNames): string =>
  `Found ${count} tool(s). Use ${names.load} with an exact toolName or a toolNames array to make them available.`;

/** Says what to call: the tool by its name if exactly one result fits. */
const callOf = (fits: readonly string[]): string =>
  fits.length === 1 ? `Call ${list(fits)} now` : 'Call the one that fits now';

/** @param fits - the tools that probably fit, and whose last call did not fail. */
export function foundAndLoaded(names: readonly string[], loadedBefore: number, fits: readonly string[]): string {
  const which = loadedBefore === names.length ? (names.length === 1 ? 'It was' : 'All were') : 'Some were';
  const call = names.length === 1 && fits.length === 1 ? 'Call it now' : callOf(fits);
  return joined(
    ' ',
    `Found and loaded ${names.length} tool(s): ${list(names)}.`,
    fits.length > 0 && `${call}.`,
    loadedBefore > 0 && `${which} already loaded.`,
  );
}

/**
 * Tools among the results that need no load. This sentence stands first, and if such a tool is the best result, the
 * answer does not mention loading: a model that read "Use load_tool … You have already" loaded a tool that it had.
 *
 * @param fits - as in {@link foundAndLoaded}, of all results.
 * @param isLoaded - whether the model has loaded one of them. If not, the word "again" would be wrong.
 */
export function needNoLoading(names: readonly string[], fits: readonly string[], isLoaded: boolean): string {
  const isOne = names.length === 1;
  const there = fits.filter((name) => names.includes(name));
  return joined(
    ' ',
    `${list(names)} ${isOne ? 'needs no loading: it is' : 'need no loading: they are'} in your list.`,
    isLoaded && `Do not load ${isOne ? 'it' : 'them'} again.`,
    there.length > 0 && `${isOne ? 'Call it now' : callOf(there)}.`,
  );
}

/** Tools among the results whose last call failed: "Call it now" made a model repeat that call. */
export const lastCallFailed = (names: readonly string[]): string =>
  `Your last call of ${list(names)} failed: call it again only with other arguments, as its parameters say, or use another tool.`;

/**
 * For a search that was answered before, in call mode. Its results omit the parameters, which take up to 1,400 tokens.
 */
export const asBefore = (): string => 'This is the same answer as before, where the parameters of these tools stand.';

export const selectedText = (
  loaded: readonly string[],
  alreadyLoaded: readonly string[],
  unknown: readonly UnknownName[],
  leftOut: number,
  names: MetaToolNames,
): string =>
  joined(
    ' ',
    loaded.length > 0 && `Loaded ${loaded.length} tool(s): ${list(loaded)}. ${callNow(loaded)}.`,
    alreadyLoaded.length > 0 && `Already loaded: ${list(alreadyLoaded)}.`,
    unknown.length > 0 && `Not found: ${unknown.map(unknownName).join(', ')}.`,
    leftOut > 0 && `${ignored(leftOut)}.`,
    loaded.length + alreadyLoaded.length === 0 && `Call ${names.search} with keywords to find tools.`,
  );

export const nothingToSelect = (names: MetaToolNames): string =>
  `"select:" needs exact tool names behind it, separated by commas. Call ${names.search} with keywords if you do not know them.`;

// Answers to a load

export const unloadedMany = (unloaded: readonly string[], notLoaded: readonly string[]): string =>
  joined(
    ' | ',
    unloaded.length > 0 && `Unloaded: ${list(unloaded)} — gone from your next turn on`,
    notLoaded.length > 0 && `Not loaded, or always available: ${list(notLoaded)}`,
  );

export const emptyNames = (): string => 'toolNames array must not be empty.';

export const missingNames = (): string => 'You must provide either toolName (string) or toolNames (array) to load.';

/** No tool has the name. `nothing` is the sentence for a request that has nothing to find. */
export function notFound({ name, suggestions }: UnknownName, names: MetaToolNames, nothing?: string): string {
  const next = nothing ?? `Use ${names.search} to find available tools.`;
  return `Tool ${quote(name)} not found. ${suggestions.length > 0 ? `Did you mean: ${list(suggestions)}?` : next}`;
}

/** No tool has the name, and its words were searched. `answer` is the message of that search. */
export function foundByWords({ name, suggestions }: UnknownName, answer: string): string {
  const meant = suggestions.length > 0 ? ` Did you mean: ${list(suggestions)}?` : '';
  return `Tool ${quote(name)} not found.${meant} ${answerByWords(answer)}`;
}

export const answerByWords = (answer: string): string => `A search for its words: ${answer}`;

/**
 * @param times - how often the run loaded the tool before. `call` is how to call it.
 * @param hasFailed - whether the last call of the tool failed.
 */
export function alreadyLoaded(name: string, times: number, call: string, hasFailed = false): string {
  const tool = `Tool "${cleanName(name)}"`;
  if (hasFailed)
    return `${tool} is in your list, and your last call of it failed: call it with other arguments. ${call}`;
  if (times === 0) return `${tool} needs no loading: it is in your list. Call it now.`;
  if (times === 1)
    return `${tool} is in your list, and was when you loaded it before. Loading it again changes nothing: your next call has to be ${cleanName(name)} itself.`;
  return `${tool} is in your list. Do not load it, and do not search for it: call it. ${call}`;
}

export const howToCall = (signature: string, example?: string): string =>
  `Its parameters: ${signature}.${example === undefined ? '' : ` An input of the right shape: ${example}`}`;

/** A hint after a call that failed twice with the same input. `call` is how to call the tool. */
export const failedAgain = (name: string, call: string): string =>
  `The call of "${cleanName(name)}" has failed twice with the same input. Do not repeat it: change the input. ${call}`;

export const loadedOne = (name: string): string => `Tool "${cleanName(name)}" loaded successfully. Call it now.`;

export const loadedMany = (
  loaded: readonly string[],
  already: readonly string[],
  unknown: readonly UnknownName[],
  leftOut: number,
): string =>
  joined(
    ' | ',
    loaded.length > 0 && `Loaded: ${list(loaded)} — ${callNow(loaded).toLowerCase()}`,
    already.length > 0 && `Already loaded: ${list(already)}`,
    unknown.length > 0 && `Not found: ${unknown.map(unknownName).join(', ')}`,
    leftOut > 0 && ignored(leftOut),
  );

/** Replaces the result of a search whose tools are no longer loaded. */
export const noLongerLoaded = (names: readonly string[]): string =>
  `No longer loaded: ${list(names.slice(0, MAX_LISTED))}. Search again for what you still need.`;

/** Replaces the result of a search whose tools are sent in every step. */
export const sentAnyway = (names: readonly string[]): string =>
  `Available: ${list(names.slice(0, MAX_LISTED))}. Call them directly.`;

/** Notes on what a load unloaded or left out. Begins with a space. Empty if there is nothing to note. */
export const roomNotes = ({
  evicted,
  leftOut,
  tooMany,
  failed,
}: Readonly<Record<'evicted' | 'leftOut' | 'tooMany' | 'failed', readonly string[]>>): string =>
  joined(
    '',
    evicted.length > 0 && ` Unloaded to make room: ${list(evicted)}.`,
    leftOut.length > 0 && ` No room for: ${listSome(leftOut)}. Load fewer at a time.`,
    failed.length > 0 &&
      ` Not available now, for a technical reason: ${listSome(failed)}. Go on without, or use another tool.`,
    tooMany.length > 0 &&
      ` ${tooMany.length} more were not loaded, as one call loads no more: ${listSome(tooMany)}. Ask again for those you need.`,
  );

// Calls of tools, and call mode

/** The error for a call of a tool that the request may not use, or may no longer use. */
export const notAvailable = (name: string): string =>
  `Tool "${cleanName(name)}" is not available to this request. Do not call it again; search for another tool or go on without.`;

/** The answer to a waiting call whose tool is gone: the source is down, or no longer has the tool. */
export const gone = (name: string): string =>
  `Tool "${name}" cannot be reached now, so its call did not run. Search for it again, or go on without.`;

export const callCatalogIntro = (search: string, bridge: string): string =>
  `The following tools are available with ${bridge}, by their exact names. Call ${search} with "select:" and their names, separated by commas, for their parameters.`;

/** @param fits - as in {@link foundAndLoaded}. */
export const foundToCall = (count: number, bridge: string, fits: readonly string[]): string =>
  joined(
    ' ',
    `Found ${count} tool(s).`,
    fits.length > 0 && `${callOf(fits)}: ${bridge} with its exact toolName and its arguments.`,
  );

export const described = (count: number, bridge: string): string =>
  `Call ${count === 1 ? 'it' : 'them'} now: ${bridge} with the exact toolName and its arguments.`;

/** Invalid arguments. `bridge` is absent if tools are called by their names; `select` is for a huge definition. */
export function mistakenText(mistakes: string, bridge = 'it', select?: { search: string; name: string }): string {
  const how = select ? ` Call ${select.search} with "select:${cleanName(select.name)}" for its schema.` : '';
  return `${mistakes}\n\nThe tool was not run. Call ${bridge} again with arguments that fit its parameters.${how}`;
}

export const noName = (bridge: string, search: string): string =>
  `${bridge} needs the toolName of a tool and its arguments. Use ${search} to find tools.`;

/** The request asks for another tool, or for none. */
export const notChosen = (name?: string): string =>
  name === undefined
    ? 'No tool may be called now, and none was run. Answer without one.'
    : `Only the tool "${cleanName(name)}" may be called now, and no other was run. Call it, or answer without a tool.`;

/** The definition of the tool cannot be resolved or sent, or the model's provider refuses it. */
export const cannotBeUsed = (name: string): string =>
  `Tool "${cleanName(name)}" cannot be used now, for a technical reason. Go on without it, or use another tool.`;

export const callDirectly = (name: string): string => `Tool "${cleanName(name)}" is in your list: call it directly.`;

/** The tool cannot run through the bridge in this request. */
export function notHere(name: string, why: 'approval' | 'client' | 'provider'): string {
  const reason = {
    approval: 'it needs an approval or an answer, which cannot be asked for here',
    client: 'it runs elsewhere',
    provider: "it is one of the model provider's own",
  }[why];
  return `Tool "${cleanName(name)}" cannot be called in this request: ${reason}. Do not call it again; go on without, or say what is missing.`;
}

// Code mode

export const codeSystemText = (search: string, run: string): string =>
  `There are more tools than you see. To discover them, call ${search} with a keyword query: it returns them as TypeScript functions. To use them, call ${run} with a program that calls these functions and returns what you need. Never call such a function as a tool.`;

export const codeSearchDescription = (run: string): string =>
  `${SEARCH} as TypeScript functions, to be called in a program with ${run}.`;

export const codeDescription = (search: string): string =>
  `Run a TypeScript program, the body of an async function. It may call the functions that ${search} has found, each with one object: \`await external_<name>(input)\`. Where a name is no identifier: \`await external('name', input)\`. \`await ${search}('query')\` finds more in the program itself. Call several at once with Promise.all, compute in code, and end with \`return <value>\`: only that value and console.log reach you. There are no files, no network, no timers and no imports.`;

export const emptyProgram = (run: string): string => `${run} needs a program in "code".`;

export const programParameter = 'The program: TypeScript statements that end with `return <value>`';

export const codeCatalogIntro = (search: string, run: string): string =>
  `The following tools are functions for programs of ${run}, as \`external('name', input)\`. Call ${search} with "select:" and their names, separated by commas, for their declarations.`;

/** @param fits - as in {@link foundAndLoaded}. */
export const foundForProgram = (count: number, run: string, fits: readonly string[]): string =>
  joined(
    ' ',
    `Found ${count} function(s).`,
    fits.length > 0 &&
      `Write a program with ${fits.length === 1 ? list(fits) : 'those that fit'} and run it with ${run}.`,
  );

export const declaredForProgram = (count: number, run: string): string =>
  `Call ${count === 1 ? 'it' : 'them'} in a program with ${run}.`;

/** Functions that are declared from the first step on; empty if there are none. */
export function declaredAtOnce(declarations: readonly string[], run: string): string {
  if (declarations.length === 0) return '';
  const lines = declarations.map((text) => text.replaceAll('</', '<\\/')).join('\n');
  return `These functions are there for programs of ${run}, without a search, if they fit.\n<functions>\n${lines}\n</functions>`;
}

/** A hint after a call of a function as if it were a tool. */
export const calledOutsideProgram = (name: string, run: string): string =>
  `"${cleanName(name)}" is a function for programs: call it in a program with ${run}.`;

// Rejections in a program

/** Unknown names and forbidden tools get the same rejection. */
export const noFunction = (name: string, search: string): string =>
  `There is no function for "${echo(name)}". Find functions with ${search}, then write the program anew.`;

export const severalFunctions = (name: string, names: readonly string[]): string =>
  `external_${echo(name)} may be ${list(names)}: call the one that you mean with external('name', input).`;

export const callAlone = (name: string): string =>
  `Tool "${cleanName(name)}" cannot run in a program: it needs an approval or an answer, or runs elsewhere. It is in your list from your next turn on: call it directly, not in a program.`;

export const vetoed = (name: string, output: string): string =>
  `The call of "${cleanName(name)}" was stopped before it ran.${output === '' ? '' : ` ${output}`}`;

export const misfit = (name: string, mistakes: string, declaration: string): string =>
  `The input of "${cleanName(name)}" does not fit, and it was not run. ${mistakes}\n${declaration}`;

export const tooManyCalls = (most: number): string =>
  `A program may make ${most} calls, and this one has made them. Do the rest in another program.`;

export const tooLarge = (most: number): string =>
  `The result is larger than the ${most} bytes that a program is given. Ask for less.`;

export const programOver = (): string => 'The program has ended.';

export const programFailed = (): string =>
  'The program ended with this error. Calls that it made before have been made: mend the program, and do not repeat those that change something.';

export const resultCut = (most: number): string =>
  `The result was cut at ${most} bytes. Return less: pick the fields that you need, or count and sum in the program.`;

// The injected catalog

/** A tool in the injected catalog. An empty description is left out. */
export interface CatalogLine {
  readonly name: string;
  readonly description: string;
}

export type CatalogRest = number | 'unknown';

/** Writes the injected catalog; empty when there is nothing to list. `ownIntro` replaces the words about loading. */
type WriteCatalog = (
  tools: readonly CatalogLine[],
  names: MetaToolNames,
  autoLoad: boolean,
  rest: CatalogRest,
  ownIntro?: string,
) => string;

export const catalogText: WriteCatalog = (tools, names, autoLoad, rest, ownIntro) => {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description }) => {
    const line = `- \`${clean(name, MAX_DESCRIPTION)}\``;
    return description === '' ? line : `${line}: ${describeTool(description)}`;
  });
  const loadIntro = autoLoad
    ? `The following tools are available. Call ${names.search} with a keyword to load one — matching tools are loaded automatically, to be called directly.`
    : `The following tools are available to load. Call ${names.load} with a toolName or toolNames array to add one or more before using them — no search step is required. ${names.search} is also available if you need to rediscover tools by keyword.`;
  return `${ownIntro ?? loadIntro}\n\nAvailable tools:\n${lines.join('\n')}${restNote(rest, names)}`;
};

/** Lists only names, in the tag that models know from other libraries. */
export const catalogNames: WriteCatalog = (tools, names, autoLoad, rest, ownIntro) => {
  const lines = tools
    .map(({ name }) => clean(name.replace(/[<>]/g, ' '), MAX_DESCRIPTION))
    .filter((line) => line !== '');
  if (lines.length === 0) return '';
  const how = autoLoad
    ? `call ${names.search} with "select:" and their names, separated by commas.`
    : `call ${names.load} with a toolName or toolNames array. No search is required.`;
  const intro = ownIntro ?? `These tools can be loaded by their exact names: ${how}`;
  return `${intro}\n<available-deferred-tools>\n${lines.join('\n')}\n</available-deferred-tools>${restNote(rest, names)}`;
};

function restNote(rest: CatalogRest, names: MetaToolNames): string {
  if (rest === 0) return '';
  const more = rest === 'unknown' ? 'There may be more tools' : `There are ${rest} more tool(s)`;
  return `\n\nThe list ends here. ${more}: call ${names.search} to find them.`;
}
