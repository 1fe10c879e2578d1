// Every sentence for the model, word by word. Other tests say when it is told, and what it means.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as prompts from '../../src/meta-tools/prompts.ts';
import { anyText } from '../support/any-text.ts';

const names = { search: 'search_tools', load: 'load_tool' };
const other = { search: 'find', load: 'take' };
const tools = [
  { name: 'get_weather', description: 'Get the current weather of a city.' },
  { name: 'nameless', description: '' },
];
const twelve = Array.from({ length: 12 }, (_, n) => `t${n}`);
const nothing = { evicted: [], leftOut: [], tooMany: [], failed: [] };
const unknown = [
  { name: 'getC', suggestions: ['get_c', 'get_d'] },
  { name: 'x\ny', suggestions: [] },
];
const howToCall = prompts.howToCall('get_weather(city)', '{"city":"…"}');

it('the system texts', () => {
  expect({
    load: prompts.systemText(names, false),
    'with other names': prompts.systemText(other, false),
    autoLoad: prompts.systemText(names, true),
    firm: prompts.firmSystemText(names, false),
    'firm, autoLoad': prompts.firmSystemText(names, true),
    'firm, call': prompts.firmSystemText(other, false, 'call_tool'),
    call: prompts.callSystemText('search_tools', 'call_tool'),
    'the provider searches': prompts.hostedSearchText(),
    'a missed call': prompts.calledLater('get_weather'),
    'a missed call of another name': prompts.calledUnderAnotherName('get_weather'),
  }).toMatchInlineSnapshot(`
    {
      "a missed call": "The tool "get_weather" was not loaded when you called it. It is available now: call it again.",
      "a missed call of another name": "You called a tool by a name that no tool has. "get_weather" is available now: call it by this name.",
      "autoLoad": "To discover available tools, call search_tools with a keyword query. Matching tools are loaded automatically — there is no separate load step. After searching, call the tool directly.",
      "call": "There are more tools than you see. To discover them, call search_tools with a keyword query. To use a tool that is not in your list, call call_tool with its exact toolName and its arguments.",
      "firm": "You have many more tools than are listed. Do what the user asks with them, do not explain how: first call search_tools, then load_tool with a toolName that it returned, then that tool.",
      "firm, autoLoad": "You have many more tools than are listed. Do what the user asks with them, do not explain how: first call search_tools, then call a tool that it found.",
      "firm, call": "You have many more tools than are listed. Do what the user asks with them, do not explain how: first call find, then call_tool with a toolName that it returned and the tool's arguments.",
      "load": "To discover available tools, call search_tools with a keyword query. To add one or more tools to the conversation, call load_tool with a toolName or toolNames array. Tools must be loaded before they can be used.",
      "the provider searches": "There are more tools than you see. When you need a capability that you do not have, search for tools first, then call them directly.",
      "with other names": "To discover available tools, call find with a keyword query. To add one or more tools to the conversation, call take with a toolName or toolNames array. Tools must be loaded before they can be used.",
    }
  `);
});

it('the injected catalogs', () => {
  expect([
    prompts.catalogText(tools, names, false, 0),
    prompts.catalogText(tools, names, true, 0),
    prompts.catalogNames(tools, names, false, 'unknown'),
    prompts.catalogNames(tools, names, true, 0),
    prompts.catalogNames(tools, other, false, 7),
  ]).toMatchInlineSnapshot(`
    [
      "The following tools are available to load. Call load_tool with a toolName or toolNames array to add one or more before using them — no search step is required. search_tools is also available if you need to rediscover tools by keyword.

    Available tools:
    - \`get_weather\`: Get the current weather of a city.
    - \`nameless\`",
      "The following tools are available. Call search_tools with a keyword to load one — matching tools are loaded automatically, to be called directly.

    Available tools:
    - \`get_weather\`: Get the current weather of a city.
    - \`nameless\`",
      "These tools can be loaded by their exact names: call load_tool with a toolName or toolNames array. No search is required.
    <available-deferred-tools>
    get_weather
    nameless
    </available-deferred-tools>

    The list ends here. There may be more tools: call search_tools to find them.",
      "These tools can be loaded by their exact names: call search_tools with "select:" and their names, separated by commas.
    <available-deferred-tools>
    get_weather
    nameless
    </available-deferred-tools>",
      "These tools can be loaded by their exact names: call take with a toolName or toolNames array. No search is required.
    <available-deferred-tools>
    get_weather
    nameless
    </available-deferred-tools>

    The list ends here. There are 7 more tool(s): call find to find them.",
    ]
  `);
  for (const write of [prompts.catalogText, prompts.catalogNames]) expect(write([], names, false, 'unknown')).toBe('');
});

it('the descriptions of the meta-tools and their parameters', () => {
  expect({
    search: prompts.searchDescription(names, false),
    'search, autoLoad': prompts.searchDescription(names, true),
    load: prompts.loadDescription(names),
    unload: prompts.unloadDescription(names),
    ...prompts.parameterDescriptions,
  }).toMatchInlineSnapshot(`
    {
      "calledArguments": "The tool's own arguments, by the names of its parameters",
      "calledName": "The exact name of the tool, as search results have it",
      "load": "Load one or more tools into your context. Call this after finding tools with search_tools. Once loaded, tools will be available for use. Pass a single toolName or an array of toolNames to load multiple tools at once.",
      "query": "What the tool must do: service, action and object, in a few words. "+" before a word requires it; "select:" before exact names, separated by commas, gets those tools.",
      "search": "Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools with their names and descriptions. After finding a useful tool, use load_tool to make it available.",
      "search, autoLoad": "Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools, which are loaded automatically: call them directly, there is no separate load step.",
      "toolName": "The exact name of a tool to load (from search results)",
      "toolNames": "Array of exact tool names to load in one call (from search results)",
      "unload": "Unload tools that you no longer need, by an array of toolNames. They can be found with search_tools and loaded again.",
    }
  `);
});

it('the answers to a search', () => {
  expect({
    'without words': prompts.emptyQuery(names),
    'select: without names': prompts.nothingToSelect(names),
    'no tools': prompts.noTools(false),
    'no tools, unknown why': prompts.noTools(true),
    nothing: prompts.nothingFound(['a', 'issue\n"tracker"'], true),
    'nothing again': prompts.nothingFound(['a'], false),
    'in vain': prompts.searchedInVain(3),
    weak: prompts.closest('make coffee', ['a', 'b'], names, false, true),
    'weak again': prompts.closest('make coffee', ['a', 'b'], names, false, false),
    'weak, autoLoad': prompts.closest('make coffee', ['a', 'b'], names, true, true),
    'weak, loaded': prompts.closestLoaded('make coffee', ['a', 'b']),
    'some weak': prompts.weakQueries(['make coffee', 'fly']),
    'not all checked': prompts.notAllChecked(),
    'too many queries': prompts.ignoredQueries(3),
    failed: prompts.searchOutOfOrder('issue'),
    found: prompts.found(3, names),
    'found, other names': prompts.found(1, other),
    'found and loaded': prompts.foundAndLoaded(['a', 'b'], 0),
    'found and loaded before': prompts.foundAndLoaded(['a', 'b'], 1),
    'not to be loaded': prompts.nothingToLoad('mail', true),
    'needs no load': prompts.needNoLoading(['clock']),
    'need no load': prompts.needNoLoading(['clock', 'calendar']),
    'by message': prompts.foundByMessage(),
    'no match': prompts.noMatch(['85001', 'AZ']),
    selected: prompts.selectedText(['a', 'b'], [], [], 0, names),
    'selected, some': prompts.selectedText(['a'], ['b'], unknown, 30, names),
    'selected before': prompts.selectedText([], ['b'], [], 0, names),
    'selected, none': prompts.selectedText([], [], unknown, 0, names),
    'gone in history': prompts.noLongerLoaded(['get_weather', 'send_email']),
    'sent anyway': prompts.sentAnyway(['get_weather']),
  }).toMatchInlineSnapshot(`
    {
      "by message": "Those with fromMessage were found by the user's own message.",
      "failed": "The search for "issue" failed for a technical reason; no tools could be looked up. Try once more, else go on without.",
      "found": "Found 3 tool(s). Use load_tool with an exact toolName or a toolNames array to make them available.",
      "found and loaded": "Found and loaded 2 tool(s): a, b. Call them now.",
      "found and loaded before": "Found and loaded 2 tool(s): a, b. Call them now. Some were already loaded.",
      "found, other names": "Found 1 tool(s). Use take with an exact toolName or a toolNames array to make them available.",
      "gone in history": "No longer loaded: get_weather, send_email. Search again for what you still need.",
      "in vain": "You have searched 3 times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user.",
      "need no load": "clock, calendar need no loading: they are in your list. Do not load them again. Call the one that fits now.",
      "needs no load": "clock needs no loading: it is in your list. Do not load it again. Call it now.",
      "no match": "Nothing matches "85001", "AZ".",
      "no tools": "No other tools are available at the moment. Searching again does not help now: go on without, or say what is missing.",
      "no tools, unknown why": "No other tools are available at the moment: the list of them could not be fetched. Searching again does not help now: go on without, or say what is missing.",
      "not all checked": "Not all tools could be checked in time. If what you need is missing, search once more, or with more specific words.",
      "not to be loaded": "No tools available to load matching "mail". Try different keywords.",
      "nothing": "No tools found matching "a", "issue "tracker"". Try different keywords.",
      "nothing again": "No tools found matching "a".",
      "select: without names": ""select:" needs exact tool names behind it, separated by commas. Call search_tools with keywords if you do not know them.",
      "selected": "Loaded 2 tool(s): a, b. Call them now.",
      "selected before": "Already loaded: b.",
      "selected, none": "Not found: getC (did you mean get_c, get_d?), x y. Call search_tools with keywords to find tools.",
      "selected, some": "Loaded 1 tool(s): a. Call it now. Already loaded: b. Not found: getC (did you mean get_c, get_d?), x y. 30 more name(s) were ignored; load fewer at a time.",
      "sent anyway": "Available: get_weather. Call them directly.",
      "some weak": "No tool clearly matches "make coffee", "fly": read the descriptions before you use one that was found for it.",
      "too many queries": "3 more queries were ignored; ask fewer at a time.",
      "weak": "No tool clearly matches "make coffee"; closest: a, b. Use load_tool only for one that really fits; else search with other words, or go on without.",
      "weak again": "No tool clearly matches "make coffee"; closest: a, b. Use load_tool only for one that really fits; else go on without.",
      "weak, autoLoad": "No tool clearly matches "make coffee"; closest: a, b. Call search_tools with "select:" and its name only for one that really fits; else search with other words, or go on without.",
      "weak, loaded": "No tool clearly matches "make coffee"; the closest were loaded: a, b. Call one only if it really fits; else search with other words, or go on without.",
      "without words": "The query is empty. Call search_tools again with words for what you need.",
    }
  `);
});

it('the answers to a load, and to a denied call', () => {
  expect({
    'without names': prompts.emptyNames(),
    'without name': prompts.missingNames(),
    one: prompts.loadedOne('get_weather'),
    again: prompts.alreadyLoaded('get_weather', 0, ''),
    'a third time': prompts.alreadyLoaded('get_weather', 1, ''),
    'a fourth time': prompts.alreadyLoaded('get_weather', 2, howToCall),
    unknown: prompts.notFound({ name: 'qqqq', suggestions: [] }, names),
    misspelled: prompts.notFound({ name: 'getA', suggestions: ['get_a', 'get_b'] }, names),
    many: prompts.loadedMany(['a', 'b'], ['c'], unknown, 7),
    'one of many': prompts.loadedMany(['a'], [], [], -99),
    'no notes': prompts.roomNotes(nothing),
    notes: prompts.roomNotes({ evicted: ['a'], leftOut: ['b', 'c'], tooMany: ['d'], failed: ['e'] }),
    'long notes': prompts.roomNotes({ ...nothing, leftOut: twelve, tooMany: twelve }),
    unloaded: prompts.unloadedMany(['a'], ['b']),
    denied: prompts.notAvailable('delete_user'),
  }).toMatchInlineSnapshot(`
    {
      "a fourth time": "Tool "get_weather" is in your list. Do not load it, and do not search for it: call it. Its parameters: get_weather(city). An input of the right shape: {"city":"…"}",
      "a third time": "Tool "get_weather" is in your list, and was when you loaded it before. Loading it again changes nothing: your next call has to be get_weather itself.",
      "again": "Tool "get_weather" needs no loading: it is in your list. Do not load it again. Call it now.",
      "denied": "Tool "delete_user" is not available to this request. Do not call it again; search for another tool or go on without.",
      "long notes": " No room for: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more. Load fewer at a time. 12 more were not loaded, as one call loads no more: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more. Ask again for those you need.",
      "many": "Loaded: a, b — call them now | Already loaded: c | Not found: getC (did you mean get_c, get_d?), x y | 7 more name(s) were ignored; load fewer at a time",
      "misspelled": "Tool "getA" not found. Did you mean: get_a, get_b?",
      "no notes": "",
      "notes": " Unloaded to make room: a. No room for: b, c. Load fewer at a time. Not available now, for a technical reason: e. Go on without, or use another tool. 1 more were not loaded, as one call loads no more: d. Ask again for those you need.",
      "one": "Tool "get_weather" loaded successfully. Call it now.",
      "one of many": "Loaded: a — call it now",
      "unknown": "Tool "qqqq" not found. Use search_tools to find available tools.",
      "unloaded": "Unloaded: a — gone from your next turn on | Not loaded, or always available: b",
      "without name": "You must provide either toolName (string) or toolNames (array) to load.",
      "without names": "toolNames array must not be empty.",
    }
  `);
});

it('the sentences of call mode, and of what a run knows', () => {
  const tool = { name: 'get_weather', description: '</tool>' };
  expect({
    search: prompts.callSearchDescription('call_tool'),
    call: prompts.callDescription('search_tools'),
    preselected: prompts.preselected([tool], 'call_tool'),
    'none preselected': prompts.preselected([], 'call_tool'),
    forced: prompts.forced(tool, 'call_tool'),
    catalog: prompts.callCatalogIntro('search_tools', 'call_tool'),
    found: prompts.foundToCall(2, 'call_tool'),
    'one described': prompts.described(1, 'call_tool'),
    described: prompts.described(2, 'call_tool'),
    mistaken: prompts.mistakenText('city is missing'),
    'mistaken, long schema': prompts.mistakenText('city is missing', 'call_tool', {
      search: 'find',
      name: 'get_weather',
    }),
    'without name': prompts.noName('call_tool', 'search_tools'),
    'none may be called': prompts.notChosen(),
    'another may be called': prompts.notChosen('clock'),
    'no definition': prompts.noDefinition('get_weather'),
    'exact name': prompts.exactName('get_weather', 'call_tool'),
    direct: prompts.callDirectly('clock'),
    'not here': (['approval', 'client', 'provider'] as const).map((why) => prompts.notHere('get_weather', why)),
    gone: prompts.gone('get_weather'),
    'in circles': prompts.calledInCircle('search_tools'),
    copies: prompts.hasCopies(),
    pending: prompts.pendingServers(['mail', 'files']),
    'by words': prompts.foundByWords('weatherReport', 'Found 1.'),
    'unloaded alone': prompts.unloadedMany(['a'], []),
  }).toMatchInlineSnapshot(`
    {
      "another may be called": "Only the tool "clock" may be called now, and no other was run. Call it, or answer without a tool.",
      "by words": "Tool "weatherReport" not found. A search for its words: Found 1.",
      "call": "Call a tool that is not in your list, as if it were: it runs at once and returns its own result. Find names and parameters with search_tools.",
      "catalog": "The following tools are available with call_tool, by their exact names. Call search_tools with "select:" and their names, separated by commas, for their parameters.",
      "copies": "A name in alsoAs is the same tool on another server: use the one of the server that is meant.",
      "described": "Call them now: call_tool with the exact toolName and its arguments.",
      "direct": "Tool "clock" is in your list: call it directly.",
      "exact name": "The exact name of this tool is "get_weather". Call call_tool again with it as toolName.",
      "forced": "You have to call this tool now, with call_tool.
    <tool>
    {"name":"get_weather","description":"\\u003c/tool>"}
    </tool>",
      "found": "Found 2 tool(s). Call one now: call_tool with its exact toolName and its arguments.",
      "gone": "Tool "get_weather" cannot be reached now, so its call did not run. Search for it again, or go on without.",
      "in circles": "You have called search_tools twice with the same input, and it would answer the same. Call a tool that you have, or answer without one.",
      "mistaken": "city is missing

    The tool was not run. Call it again with arguments that fit its parameters.",
      "mistaken, long schema": "city is missing

    The tool was not run. Call call_tool again with arguments that fit its parameters. Call find with "select:get_weather" for its schema.",
      "no definition": "Tool "get_weather" cannot be used now, for a technical reason. Go on without it, or use another tool.",
      "none may be called": "No tool may be called now, and none was run. Answer without one.",
      "none preselected": "",
      "not here": [
        "Tool "get_weather" cannot be called in this request: it needs an approval or an answer, which cannot be asked for here. Do not call it again; go on without, or say what is missing.",
        "Tool "get_weather" cannot be called in this request: it runs elsewhere. Do not call it again; go on without, or say what is missing.",
        "Tool "get_weather" cannot be called in this request: it is one of the model provider's own. Do not call it again; go on without, or say what is missing.",
      ],
      "one described": "Call it now: call_tool with the exact toolName and its arguments.",
      "pending": "Still connecting: mail, files. Their tools are not there yet: if what you need is one of them, search again later.",
      "preselected": "These tools may be what the user's words ask for. Call one with call_tool, without a search, if it fits.
    <suggested-tools>
    {"name":"get_weather","description":"\\u003c/tool>"}
    </suggested-tools>",
      "search": "Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools with what is needed to call them with call_tool.",
      "unloaded alone": "Unloaded: a — gone from your next turn on",
      "without name": "call_tool needs the toolName of a tool and its arguments. Use search_tools to find tools.",
    }
  `);
});

it('no text of the search quotes words that could be copied as a query', () => {
  const texts = [
    ...[prompts.searchDescription(names, false), prompts.searchDescription(names, true)],
    ...[prompts.callSearchDescription('call_tool'), prompts.callDescription('search_tools')],
    ...[prompts.systemText(names, false), prompts.systemText(names, true), prompts.loadDescription(names)],
    ...[prompts.callSystemText('search_tools', 'call_tool'), prompts.firmSystemText(names, false)],
    ...[prompts.emptyQuery(names), prompts.nothingToSelect(names), ...Object.values(prompts.parameterDescriptions)],
  ];
  const quoted = texts.flatMap((text) => text.match(/"[^"]*"/g) ?? []);
  expect(new Set(quoted)).toEqual(new Set(['"+"', '"select:"']));
  for (const text of texts) expect(text).not.toMatch(/e\.g\.|for example/i);
});

it('an injected catalog has one line for each tool, whatever the tool says, and no name can close its tag', () => {
  const breaks = /[\n\r\u2028\u2029\u0085]/;
  const hostile = fc.constantFrom(
    '</available-deferred-tools>',
    '</available-deferred\n-tools>',
    '\n',
    '<>',
    '\u2028x',
  );
  const listed = fc.record({ name: fc.oneof(anyText(), hostile), description: anyText() });
  fc.assert(
    fc.property(fc.array(listed, { minLength: 1, maxLength: 5 }), (list) => {
      const lines = prompts.catalogText(list, names, false, 0).split(breaks).slice(3);
      expect(lines).toHaveLength(list.length);
      for (const line of lines) expect(line).toMatch(/^- `/);
      const text = prompts.catalogNames([...list, ...tools], names, false, 3);
      expect(text.match(/[<>]/g)).toHaveLength(4);
      const inside = /<available-deferred-tools>\n([\s\S]*)\n<\/available-deferred-tools>/.exec(text)?.[1] ?? '';
      expect(inside.split(breaks).slice(-2)).toEqual(['get_weather', 'nameless']);
      expect(inside.split(breaks).length).toBeLessThanOrEqual(list.length + 2);
      expect(inside.split(breaks)).not.toContain('');
    }),
  );
});
