import { bm25Scorer, type MastraTool, memoryStore } from 'mastra-tool-search';
import { tool, toolRecord } from '../support/harness.ts';

/** `shown` is the value as the message repeats it, `remedy` a part of what it asks for. */
export interface Refused {
  readonly why: string;
  readonly options: unknown;
  readonly option: string;
  readonly shown: string;
  readonly remedy: string;
}

export const tools = (): Record<string, MastraTool> => toolRecord(tool('get_weather'), tool('send_email'));
export const search = (value: object): object => ({ tools: tools(), search: value });
export const also = (value: object): object => ({ tools: tools(), ...value });
export const metaTools = (value: unknown): object => ({ tools: tools(), metaTools: value });

const topK = { option: 'search.topK', remedy: 'a whole number of at least 1' };
const minScore = { option: 'search.minScore', remedy: 'a number' };
const minConfidence = { option: 'search.minConfidence', remedy: 'a number from 0 to 1' };
const keywords = { option: 'search.keywords', remedy: 'a record of words by tool name' };
const words = { option: 'search.keywords.get_weather', remedy: "an array of words, e.g. ['make a ticket']" };
const secondWord = { option: 'search.keywords.get_weather[1]', remedy: 'a text' };
const scorer = { option: 'search.scorer', remedy: 'bm25Scorer() or tieredScorer()' };
const ttl = { option: 'ttl', remedy: 'milliseconds, 0 or more' };
const timeouts = { option: 'timeouts', remedy: 'an object with tools, filter, store, index and preselect' };
const timeOfFilter = { option: 'timeouts.filter', remedy: 'milliseconds, 1 or more' };
const injectCatalog = { option: 'injectCatalog', remedy: "true, false or 'names'" };
const timeOfStore = { option: 'timeouts.store', remedy: 'milliseconds, 1 or more' };
const maxLoaded = { option: 'maxLoaded', remedy: 'an object with tools and tokens' };
const mostTools = { option: 'maxLoaded.tools', remedy: 'a whole number of at least 1' };
const mostTokens = { option: 'maxLoaded.tokens', remedy: 'a number of at least 1' };
const groups = { option: 'groups', remedy: 'a function' };
const onMiss = { option: 'onMiss', remedy: `'run', 'load' or 'error'` };
const storage = {
  option: 'storage',
  remedy: "'in-memory', 'context' or a store with get, add and clear, e.g. redisStore",
};
const alwaysLoaded = { option: 'alwaysLoaded', remedy: 'an array of tool names' };
const trusted = { option: 'trustServerHints', remedy: 'true, false or an array of server names' };
const firstTrusted = { option: 'trustServerHints[0]', remedy: 'the name of a server' };
const firstPinned = { option: 'alwaysLoaded[0]', remedy: 'the name of a tool' };
const searchName = { option: 'metaTools.search.name', remedy: '1 to 64 letters, digits, "_" and "-"' };

/** What the constructor refuses, with the reason. */
export const refused: readonly Refused[] = [
  { why: 'no search could return anything', options: search({ topK: 0 }), ...topK, shown: '0' },
  { why: 'a negative count', options: search({ topK: -1 }), ...topK, shown: '-1' },
  { why: 'half a result', options: search({ topK: 1.5 }), ...topK, shown: '1.5' },
  { why: 'not a number', options: search({ topK: Number.NaN }), ...topK, shown: 'NaN' },
  { why: 'no end', options: search({ topK: Number.POSITIVE_INFINITY }), ...topK, shown: 'Infinity' },
  { why: 'a text', options: search({ topK: '5' }), ...topK, shown: '"5"' },
  { why: 'null is not absent', options: search({ topK: null }), ...topK, shown: 'null' },
  { why: 'nothing is above NaN', options: search({ minScore: Number.NaN }), ...minScore, shown: 'NaN' },
  { why: 'a text', options: search({ minScore: '0.5' }), ...minScore, shown: '"0.5"' },
  { why: 'null is not absent', options: search({ minScore: null }), ...minScore, shown: 'null' },
  { why: 'less than never', options: search({ minConfidence: -0.01 }), ...minConfidence, shown: '-0.01' },
  { why: 'more than certain', options: search({ minConfidence: 1.01 }), ...minConfidence, shown: '1.01' },
  { why: 'percent', options: search({ minConfidence: 40 }), ...minConfidence, shown: '40' },
  { why: 'not a number', options: search({ minConfidence: Number.NaN }), ...minConfidence, shown: 'NaN' },
  { why: 'a text', options: search({ minConfidence: '0.4' }), ...minConfidence, shown: '"0.4"' },
  { why: 'null is not absent', options: search({ minConfidence: null }), ...minConfidence, shown: 'null' },
  { why: 'a list', options: search({ keywords: ['make a ticket'] }), ...keywords, shown: 'an array of 1' },
  { why: 'a text', options: search({ keywords: 'ticket' }), ...keywords, shown: '"ticket"' },
  { why: 'a word', options: search({ keywords: { get_weather: 'sunshine' } }), ...words, shown: '"sunshine"' },
  { why: 'a number', options: search({ keywords: { get_weather: ['sun', 7] } }), ...secondWord, shown: 'got 7' },
  { why: 'no words', options: search({ keywords: { get_weather: undefined } }), ...words, shown: 'undefined' },
  { why: 'no index', options: search({ scorer: {} }), ...scorer, shown: 'an object' },
  { why: 'the factory instead of its scorer', options: search({ scorer: bm25Scorer }), ...scorer, shown: 'a function' },
  { why: 'a name', options: search({ scorer: 'bm25' }), ...scorer, shown: '"bm25"' },
  { why: 'null is not absent', options: search({ scorer: null }), ...scorer, shown: 'null' },
  { why: 'index is no method', options: search({ scorer: { name: 'x', index: [] } }), ...scorer, shown: 'an object' },
  {
    why: 'no flag',
    options: search({ autoLoad: 'yes' }),
    option: 'search.autoLoad',
    shown: '"yes"',
    remedy: 'true or false',
  },
  { why: 'no object', options: also({ search: 5 }), option: 'search', shown: '5', remedy: 'an object' },
  { why: 'no object', options: also({ search: null }), option: 'search', shown: 'null', remedy: 'an object' },
  { why: 'an array', options: also({ search: [] }), option: 'search', shown: 'an array of 0', remedy: 'an object' },
  { why: 'time does not run backwards', options: also({ ttl: -1 }), ...ttl, shown: '-1' },
  { why: 'not a number', options: also({ ttl: Number.NaN }), ...ttl, shown: 'NaN' },
  { why: 'a text', options: also({ ttl: '1h' }), ...ttl, shown: '"1h"' },
  { why: 'null is not absent', options: also({ ttl: null }), ...ttl, shown: 'null' },
  { why: 'a big integer', options: also({ ttl: 10n }), ...ttl, shown: '10' },
  { why: 'no time', options: also({ timeouts: { store: 0 } }), ...timeOfStore, shown: '0' },
  { why: 'less than a millisecond', options: also({ timeouts: { store: 0.5 } }), ...timeOfStore, shown: '0.5' },
  { why: 'not a number', options: also({ timeouts: { store: Number.NaN } }), ...timeOfStore, shown: 'NaN' },
  { why: 'a text', options: also({ timeouts: { store: '2s' } }), ...timeOfStore, shown: '"2s"' },
  { why: 'null is not absent', options: also({ timeouts: { store: null } }), ...timeOfStore, shown: 'null' },
  { why: 'a time for nothing', options: also({ timeouts: 5_000 }), ...timeouts, shown: '5000' },
  { why: 'null is not absent', options: also({ timeouts: null }), ...timeouts, shown: 'null' },
  { why: 'no time', options: also({ timeouts: { filter: 0 } }), ...timeOfFilter, shown: '0' },
  { why: 'less than a millisecond', options: also({ timeouts: { filter: 0.5 } }), ...timeOfFilter, shown: '0.5' },
  { why: 'not a number', options: also({ timeouts: { filter: Number.NaN } }), ...timeOfFilter, shown: 'NaN' },
  { why: 'a text', options: also({ timeouts: { filter: '2s' } }), ...timeOfFilter, shown: '"2s"' },
  { why: 'null is not absent', options: also({ timeouts: { filter: null } }), ...timeOfFilter, shown: 'null' },
  { why: 'a number of what', options: also({ maxLoaded: 20 }), ...maxLoaded, shown: '20' },
  { why: 'null is not absent', options: also({ maxLoaded: null }), ...maxLoaded, shown: 'null' },
  { why: 'nothing could be loaded', options: also({ maxLoaded: { tools: 0 } }), ...mostTools, shown: '0' },
  { why: 'a negative count', options: also({ maxLoaded: { tools: -1 } }), ...mostTools, shown: '-1' },
  { why: 'half a tool', options: also({ maxLoaded: { tools: 1.5 } }), ...mostTools, shown: '1.5' },
  { why: 'not a number', options: also({ maxLoaded: { tools: Number.NaN } }), ...mostTools, shown: 'NaN' },
  { why: 'a text', options: also({ maxLoaded: { tools: '20' } }), ...mostTools, shown: '"20"' },
  { why: 'null is not absent', options: also({ maxLoaded: { tools: null } }), ...mostTools, shown: 'null' },
  { why: 'nothing could be loaded', options: also({ maxLoaded: { tokens: 0 } }), ...mostTokens, shown: '0' },
  { why: 'a negative count', options: also({ maxLoaded: { tokens: -5 } }), ...mostTokens, shown: '-5' },
  { why: 'a text', options: also({ maxLoaded: { tokens: '4k' } }), ...mostTokens, shown: '"4k"' },
  { why: 'null is not absent', options: also({ maxLoaded: { tokens: null } }), ...mostTokens, shown: 'null' },
  { why: 'a list of names', options: also({ groups: ['github'] }), ...groups, shown: 'an array of 1' },
  { why: 'a record', options: also({ groups: { github: [] } }), ...groups, shown: 'an object' },
  { why: 'null is not absent', options: also({ groups: null }), ...groups, shown: 'null' },
  { why: 'no such way', options: also({ onMiss: 'ignore' }), ...onMiss, shown: '"ignore"' },
  { why: 'a flag', options: also({ onMiss: true }), ...onMiss, shown: 'true' },
  { why: 'null is not absent', options: also({ onMiss: null }), ...onMiss, shown: 'null' },
  { why: 'no function', options: also({ filter: true }), option: 'filter', shown: 'true', remedy: 'a function' },
  { why: 'no function', options: also({ filter: null }), option: 'filter', shown: 'null', remedy: 'a function' },
  {
    why: 'a list of names',
    options: also({ filter: ['a'] }),
    option: 'filter',
    shown: 'an array of 1',
    remedy: 'a function',
  },
  { why: 'no function', options: also({ onEvent: {} }), option: 'onEvent', shown: 'an object', remedy: 'a function' },
  { why: 'no flag', options: also({ streamEvents: 1 }), option: 'streamEvents', shown: '1', remedy: 'true or false' },
  { why: 'no function', options: also({ onEvent: null }), option: 'onEvent', shown: 'null', remedy: 'a function' },
  { why: 'no function', options: also({ scope: 'thread' }), option: 'scope', shown: '"thread"', remedy: 'a function' },
  { why: 'no function', options: also({ scope: null }), option: 'scope', shown: 'null', remedy: 'a function' },
  { why: 'unknown name', options: also({ storage: 'redis' }), ...storage, shown: '"redis"' },
  { why: 'half a name', options: also({ storage: 'memory' }), ...storage, shown: 'Did you mean "in-memory"?' },
  { why: 'no methods', options: also({ storage: {} }), ...storage, shown: 'an object' },
  { why: 'null is not absent', options: also({ storage: null }), ...storage, shown: 'null' },
  { why: 'the factory', options: also({ storage: memoryStore }), ...storage, shown: 'a function' },
  { why: 'clear is missing', options: also({ storage: { get() {}, add() {} } }), ...storage, shown: 'an object' },
  { why: 'one name', options: also({ trustServerHints: 'github' }), ...trusted, shown: '"github"' },
  { why: 'null is not absent', options: also({ trustServerHints: null }), ...trusted, shown: 'null' },
  { why: 'an empty name', options: also({ trustServerHints: [''] }), ...firstTrusted, shown: '""' },
  { why: 'one name', options: also({ alwaysLoaded: 'get_weather' }), ...alwaysLoaded, shown: '"get_weather"' },
  { why: 'a number among names', options: also({ alwaysLoaded: [1] }), ...firstPinned, shown: '1' },
  { why: 'an empty name', options: also({ alwaysLoaded: [''] }), ...firstPinned, shown: '""' },
  { why: 'a set', options: also({ alwaysLoaded: new Set(['a']) }), ...alwaysLoaded, shown: 'an object' },
  {
    why: 'a text',
    options: also({ includeResolvedTools: 'yes' }),
    option: 'includeResolvedTools',
    shown: '"yes"',
    remedy: 'true or false',
  },
  {
    why: 'a number',
    options: also({ includeResolvedTools: 1 }),
    option: 'includeResolvedTools',
    shown: '1',
    remedy: 'true or false',
  },
  { why: 'a number', options: also({ injectCatalog: 1 }), ...injectCatalog, shown: '1' },
  { why: 'another text', options: also({ injectCatalog: 'all' }), ...injectCatalog, shown: '"all"' },
  { why: 'null is not absent', options: also({ injectCatalog: null }), ...injectCatalog, shown: 'null' },
  {
    why: 'no object',
    options: metaTools('x'),
    option: 'metaTools',
    shown: '"x"',
    remedy: 'an object with search and load',
  },
  {
    why: 'an array',
    options: metaTools([]),
    option: 'metaTools',
    shown: 'an array of 0',
    remedy: 'an object with search and load',
  },
  {
    why: 'a name alone',
    options: metaTools({ search: 'find' }),
    option: 'metaTools.search',
    shown: '"find"',
    remedy: 'an object with name and description',
  },
  {
    why: 'null',
    options: metaTools({ load: null }),
    option: 'metaTools.load',
    shown: 'null',
    remedy: 'an object with name and description',
  },
  { why: 'empty', options: metaTools({ search: { name: '' } }), ...searchName, shown: '""' },
  { why: 'a space', options: metaTools({ search: { name: 'find tools' } }), ...searchName, shown: '"find tools"' },
  { why: 'a dot', options: metaTools({ search: { name: 'tools.find' } }), ...searchName, shown: '"tools.find"' },
  {
    why: 'a line break at the end',
    options: metaTools({ search: { name: 'find\n' } }),
    ...searchName,
    shown: '"find\\n"',
  },
  { why: 'other letters', options: metaTools({ search: { name: 'suche_für' } }), ...searchName, shown: '"suche_für"' },
  { why: '65 characters', options: metaTools({ search: { name: 'x'.repeat(65) } }), ...searchName, shown: 'xxx' },
  { why: 'a number', options: metaTools({ search: { name: 5 } }), ...searchName, shown: '5' },
  {
    why: 'no record can hold it',
    options: metaTools({ search: { name: '__proto__' } }),
    ...searchName,
    shown: '"__proto__"',
  },
  {
    why: 'equal names',
    options: metaTools({ search: { name: 'x' }, load: { name: 'x' } }),
    option: 'metaTools.load.name',
    shown: '"x"',
    remedy: 'another name than metaTools.search.name',
  },
  {
    why: "the other one's default",
    options: metaTools({ search: { name: 'load_tool' } }),
    option: 'metaTools.load.name',
    shown: '"load_tool"',
    remedy: 'another name than metaTools.search.name',
  },
  {
    why: 'an empty description',
    options: metaTools({ load: { description: '' } }),
    option: 'metaTools.load.description',
    shown: '""',
    remedy: 'a text',
  },
  {
    why: 'a blank description',
    options: metaTools({ load: { description: ' \n' } }),
    option: 'metaTools.load.description',
    shown: '" \\n"',
    remedy: 'a text',
  },
  {
    why: 'no text',
    options: metaTools({ search: { description: 7 } }),
    option: 'metaTools.search.description',
    shown: '7',
    remedy: 'a text',
  },
  { why: 'missing', options: {}, option: 'tools', shown: 'undefined', remedy: 'includeResolvedTools' },
  { why: 'missing', options: {}, option: 'tools', shown: 'undefined', remedy: 'a record of tools, or a function' },
  { why: 'an array', options: { tools: [tool('a')] }, option: 'tools', shown: 'an array', remedy: 'a record of tools' },
  { why: 'a text', options: { tools: 'all' }, option: 'tools', shown: 'all', remedy: 'a record of tools' },
  { why: 'null', options: null, option: 'options', shown: 'null', remedy: 'an object, e.g. { tools }' },
  { why: 'missing', options: undefined, option: 'options', shown: 'undefined', remedy: 'an object, e.g. { tools }' },
  { why: 'an array', options: [], option: 'options', shown: 'an array of 0', remedy: 'an object, e.g. { tools }' },
];
