// Every sentence for the model, word by word, but for those that other tests here quote whole. Others say when it is told.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as prompts from '../../src/meta-tools/prompts.ts';
import { anyText } from '../support/any-text.ts';

const names = { search: 'search_tools', load: 'load_tool' };
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

it('what stands in every request, which quotes no words that could be copied as a query', () => {
  const texts = {
    load: prompts.systemText(names, false),
    'load, preselected': prompts.systemText(names, false, ['get_weather']),
    'autoLoad, preselected': prompts.systemText(names, true, ['get_weather', 'send_email']),
    'firm, preselected': prompts.firmSystemText(names, false, undefined, ['get_weather']),
    autoLoad: prompts.systemText(names, true),
    firm: prompts.firmSystemText(names, false),
    'firm, autoLoad': prompts.firmSystemText(names, true),
    'firm, call': prompts.firmSystemText(names, false, 'call_tool'),
    call: prompts.callSystemText('search_tools', 'call_tool'),
    'the provider searches': prompts.hostedSearchText(),
    search: prompts.searchDescription(names, false),
    'search, autoLoad': prompts.searchDescription(names, true),
    'search, call': prompts.callSearchDescription('call_tool'),
    load_tool: prompts.loadDescription(names),
    unload_tool: prompts.unloadDescription(names),
    call_tool: prompts.callDescription('search_tools'),
    ...prompts.parameterDescriptions,
  };
  expect(texts).toMatchInlineSnapshot(`
    {
      "autoLoad": "To discover available tools, call search_tools with a keyword query. Matching tools are loaded automatically — there is no separate load step. After searching, call the tool directly.",
      "autoLoad, preselected": "These tools are in your list because the user's words ask for it: get_weather, send_email. Call one of them at once if it fits. For anything else, call search_tools with a keyword query, then a tool that it found.",
      "call": "There are more tools than you see. To discover them, call search_tools with a keyword query. To use a tool that is not in your list, call call_tool with its exact toolName and its arguments.",
      "call_tool": "Call a tool that is not in your list, as if it were: it runs at once and returns its own result. Find names and parameters with search_tools.",
      "calledArguments": "The tool's own arguments, by the names of its parameters",
      "calledName": "The exact name of the tool, as search results have it",
      "firm": "You have many more tools than are listed. Do what the user asks with them, do not explain how: first call search_tools, then load_tool with a toolName that it returned, then that tool.",
      "firm, autoLoad": "You have many more tools than are listed. Do what the user asks with them, do not explain how: first call search_tools, then call a tool that it found.",
      "firm, call": "You have many more tools than are listed. Do what the user asks with them, do not explain how: first call search_tools, then call_tool with a toolName that it returned and the tool's arguments.",
      "firm, preselected": "Do what the user asks with tools, do not explain how. This tool is in your list because the user's words ask for it: get_weather. Call it at once if it fits. For anything else, call search_tools with a keyword query, then load_tool with a toolName that it returned.",
      "load": "To discover available tools, call search_tools with a keyword query. To add one or more tools to the conversation, call load_tool with a toolName or toolNames array. Tools must be loaded before they can be used.",
      "load, preselected": "This tool is in your list because the user's words ask for it: get_weather. Call it at once if it fits. For anything else, call search_tools with a keyword query, then load_tool with a toolName that it returned.",
      "load_tool": "Load one or more tools into your context. Call this after finding tools with search_tools. Once loaded, tools will be available for use. Pass a single toolName or an array of toolNames to load multiple tools at once.",
      "query": "What the tool must do: service, action and object, in a few words. "+" before a word requires it; "select:" before exact names, separated by commas, gets those tools.",
      "search": "Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools with their names and descriptions. After finding a useful tool, use load_tool to make it available.",
      "search, autoLoad": "Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools, which are loaded automatically: call them directly, there is no separate load step.",
      "search, call": "Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools with what is needed to call them with call_tool.",
      "the provider searches": "There are more tools than you see. When you need a capability that you do not have, search for tools first, then call them directly.",
      "toolName": "The exact name of a tool to load (from search results)",
      "toolNames": "Array of exact tool names to load in one call (from search results)",
      "unload_tool": "Unload tools that you no longer need, by an array of toolNames. They can be found with search_tools and loaded again.",
    }
  `);
  const quoted = Object.values(texts).flatMap((text) => text.match(/"[^"]*"/g) ?? []);
  expect(new Set(quoted)).toEqual(new Set(['"+"', '"select:"']));
  for (const text of Object.values(texts)) expect(text).not.toMatch(/e\.g\.|for example/i);
});

it('the injected catalogs', () => {
  expect([
    prompts.catalogText(tools, names, false, 0),
    prompts.catalogText([], names, true, 0, 'An introduction.'),
    prompts.catalogText(tools.slice(1), names, true, 0),
    prompts.catalogNames(tools, names, false, 'unknown'),
    prompts.catalogNames(tools.slice(1), names, true, 7, prompts.callCatalogIntro('search_tools', 'call_tool')),
    prompts.catalogNames(tools.slice(1), names, true, 0),
    prompts.catalogNames([], names, false, 'unknown'),
  ]).toMatchInlineSnapshot(`
    [
      "The following tools are available to load. Call load_tool with a toolName or toolNames array to add one or more before using them — no search step is required. search_tools is also available if you need to rediscover tools by keyword.

    Available tools:
    - \`get_weather\`: Get the current weather of a city.
    - \`nameless\`",
      "",
      "The following tools are available. Call search_tools with a keyword to load one — matching tools are loaded automatically, to be called directly.

    Available tools:
    - \`nameless\`",
      "These tools can be loaded by their exact names: call load_tool with a toolName or toolNames array. No search is required.
    <available-deferred-tools>
    get_weather
    nameless
    </available-deferred-tools>

    The list ends here. There may be more tools: call search_tools to find them.",
      "The following tools are available with call_tool, by their exact names. Call search_tools with "select:" and their names, separated by commas, for their parameters.
    <available-deferred-tools>
    nameless
    </available-deferred-tools>

    The list ends here. There are 7 more tool(s): call search_tools to find them.",
      "These tools can be loaded by their exact names: call search_tools with "select:" and their names, separated by commas.
    <available-deferred-tools>
    nameless
    </available-deferred-tools>",
      "",
    ]
  `);
});

it('the answers to a search', () => {
  expect([
    prompts.emptyQuery(names),
    prompts.nothingToSelect(names),
    prompts.noTools(false),
    prompts.noTools(true),
    prompts.nothingFound(['a', 'issue\n"tracker"'], false),
    prompts.searchedInVain(3),
    prompts.closest(['make coffee'], ['a', 'b'], names, false, true),
    prompts.closest(['make coffee', 'fly'], ['a', 'b'], names, false, true, ['a']),
    prompts.closest(['make coffee'], ['a', 'b'], names, false, false, ['a', 'b']),
    prompts.closest(['make coffee'], ['a', 'b'], names, true, false),
    prompts.closestLoaded(['make coffee'], ['a', 'b']),
    prompts.weakQueries(['make coffee', 'fly']),
    prompts.ignoredQueries(3),
    prompts.searchOutOfOrder('issue'),
    prompts.foundAndLoaded(['a', 'b'], 1, ['a']),
    prompts.foundAndLoaded(['a', 'b', 'c'], 3, ['a', 'b']),
    prompts.foundAndLoaded(['a'], 0, ['a']),
    prompts.foundAndLoaded(['a'], 1, []),
    prompts.nothingToLoad('mail', true),
    prompts.nothingToLoad('mail', false),
    prompts.needNoLoading(['clock'], ['clock', 'x'], false),
    prompts.needNoLoading(['clock'], ['x'], true),
    prompts.needNoLoading(['clock', 'calendar'], ['clock'], false),
    prompts.needNoLoading(['clock', 'calendar'], ['clock', 'calendar'], true),
    prompts.lastCallFailed(['clock']),
    prompts.asBefore(),
    prompts.foundByMessage(),
    prompts.weakByMessage(),
    prompts.noMention(['Bitbucket', 'a\n"b"']),
    prompts.noMatch(['85001', 'AZ']),
    prompts.hasCopies(),
    prompts.pendingServers(['mail', 'files']),
    prompts.foundByWords({ name: 'weatherReport', suggestions: ['get_weather'] }, 'Found 1.'),
    prompts.selectedText(['a'], ['b'], unknown, 30, names),
    prompts.selectedText([], [], unknown, 0, names),
    prompts.noLongerLoaded(['get_weather', 'send_email']),
    prompts.sentAnyway(['get_weather']),
  ]).toMatchInlineSnapshot(`
    [
      "The query is empty. Call search_tools again with words for what you need.",
      ""select:" needs exact tool names behind it, separated by commas. Call search_tools with keywords if you do not know them.",
      "No other tools are available at the moment. Searching again does not help now: go on without, or say what is missing.",
      "No other tools are available at the moment: the list of them could not be fetched. Searching again does not help now: go on without, or say what is missing.",
      "No tools found matching "a", "issue "tracker"".",
      "You have searched 3 times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user.",
      "No tool clearly matches "make coffee"; closest: a, b. Use load_tool only for one that really fits; else search with other words, or go on without.",
      "No tool clearly matches "make coffee", "fly"; closest: a (in your list), b. Use load_tool, or call one that is in your list, only where it really fits; else search with other words, or go on without.",
      "No tool clearly matches "make coffee"; closest: a (in your list), b (in your list). Call one only if it really fits; else go on without.",
      "No tool clearly matches "make coffee"; closest: a, b. Call search_tools with "select:" and its name only for one that really fits; else go on without.",
      "No tool clearly matches "make coffee"; the closest were loaded: a, b. Call one only if it really fits; else search with other words, or go on without.",
      "No tool clearly matches "make coffee", "fly": read the descriptions before you use one that was found for it.",
      "3 more queries were ignored; ask fewer at a time.",
      "The search for "issue" failed for a technical reason; no tools could be looked up. Try once more, else go on without.",
      "Found and loaded 2 tool(s): a, b. Call a now. Some were already loaded.",
      "Found and loaded 3 tool(s): a, b, c. Call the one that fits now. All were already loaded.",
      "Found and loaded 1 tool(s): a. Call it now.",
      "Found and loaded 1 tool(s): a. It was already loaded.",
      "No tools available to load matching "mail". Try different keywords.",
      "No tools available to load matching "mail".",
      "clock needs no loading: it is in your list. Call it now.",
      "clock needs no loading: it is in your list. Do not load it again.",
      "clock, calendar need no loading: they are in your list. Call clock now.",
      "clock, calendar need no loading: they are in your list. Do not load them again. Call the one that fits now.",
      "Your last call of clock failed: call it again only with other arguments, as its parameters say, or use another tool.",
      "This is the same answer as before, where the parameters of these tools stand.",
      "Those with fromMessage were found by the user's own message.",
      "Those with fromMessage were found by the user's own message, and none clearly matches it: read the descriptions before you use one.",
      "No tool mentions "Bitbucket", "a "b"".",
      "Nothing matches "85001", "AZ".",
      "A name in alsoAs is the same tool on another server: use the one of the server that is meant.",
      "Still connecting: mail, files. Their tools are not there yet: if what you need is one of them, search again later.",
      "Tool "weatherReport" not found. Did you mean: get_weather? A search for its words: Found 1.",
      "Loaded 1 tool(s): a. Call it now. Already loaded: b. Not found: getC (did you mean get_c, get_d?), x y. 30 more name(s) were ignored; load fewer at a time.",
      "Not found: getC (did you mean get_c, get_d?), x y. Call search_tools with keywords to find tools.",
      "No longer loaded: get_weather, send_email. Search again for what you still need.",
      "Available: get_weather. Call them directly.",
    ]
  `);
});

it('the answers to a load', () => {
  expect([
    prompts.alreadyLoaded('get_weather', 0, ''),
    prompts.alreadyLoaded('get_weather', 1, ''),
    prompts.alreadyLoaded('get_weather', 2, howToCall),
    prompts.alreadyLoaded('get_weather', 0, howToCall, true),
    prompts.failedAgain('get_weather', howToCall),
    prompts.notFound({ name: 'getA', suggestions: ['get_a', 'get_b'] }, names),
    prompts.loadedMany(['a', 'b'], ['c'], unknown, 7),
    prompts.loadedMany(['a'], [], [], -99),
    prompts.roomNotes(nothing),
    prompts.roomNotes({ evicted: ['a'], leftOut: ['b', 'c'], tooMany: ['d'], failed: ['e'] }),
    prompts.roomNotes({ ...nothing, leftOut: twelve, tooMany: twelve }),
    prompts.unloadedMany(['a'], ['b']),
    prompts.unloadedMany(['a'], []),
  ]).toMatchInlineSnapshot(`
    [
      "Tool "get_weather" needs no loading: it is in your list. Call it now.",
      "Tool "get_weather" is in your list, and was when you loaded it before. Loading it again changes nothing: your next call has to be get_weather itself.",
      "Tool "get_weather" is in your list. Do not load it, and do not search for it: call it. Its parameters: get_weather(city). An input of the right shape: {"city":"…"}",
      "Tool "get_weather" is in your list, and your last call of it failed: call it with other arguments. Its parameters: get_weather(city). An input of the right shape: {"city":"…"}",
      "The call of "get_weather" has failed twice with the same input. Do not repeat it: change the input. Its parameters: get_weather(city). An input of the right shape: {"city":"…"}",
      "Tool "getA" not found. Did you mean: get_a, get_b?",
      "Loaded: a, b — call them now | Already loaded: c | Not found: getC (did you mean get_c, get_d?), x y | 7 more name(s) were ignored; load fewer at a time",
      "Loaded: a — call it now",
      "",
      " Unloaded to make room: a. No room for: b, c. Load fewer at a time. Not available now, for a technical reason: e. Go on without, or use another tool. 1 more were not loaded, as one call loads no more: d. Ask again for those you need.",
      " No room for: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more. Load fewer at a time. 12 more were not loaded, as one call loads no more: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more. Ask again for those you need.",
      "Unloaded: a — gone from your next turn on | Not loaded, or always available: b",
      "Unloaded: a — gone from your next turn on",
    ]
  `);
});

it('what is said of calls', () => {
  const tool = { name: 'get_weather', description: '</tool>' };
  expect([
    prompts.calledLater('get_weather'),
    prompts.calledUnderAnotherName('get_weather'),
    prompts.calledInCircle('search_tools'),
    prompts.preselected([tool], 'call_tool'),
    prompts.preselected([], 'call_tool'),
    prompts.forced(tool, 'call_tool'),
    prompts.foundToCall(2, 'call_tool', ['a']),
    prompts.described(1, 'call_tool'),
    prompts.described(2, 'call_tool'),
    prompts.mistakenText('city is missing'),
    prompts.mistakenText('city is missing', 'call_tool', { search: 'find', name: 'get_weather' }),
    prompts.noName('call_tool', 'search_tools'),
    prompts.notChosen(),
    prompts.notChosen('clock'),
    prompts.cannotBeUsed('get_weather'),
    prompts.notAvailable('delete_user'),
    prompts.calledWithoutBridge('get_weather', 'call_tool'),
    ...(['approval', 'client', 'provider'] as const).map((why) => prompts.notHere('get_weather', why)),
    prompts.gone('get_weather'),
  ]).toMatchInlineSnapshot(`
    [
      "The tool "get_weather" was not loaded when you called it. It is available now: call it again.",
      "You called a tool by a name that no tool has. "get_weather" is available now: call it by this name.",
      "You have called search_tools twice with the same input, and it would answer the same. Call a tool that you have, or answer without one.",
      "These tools may be what the user's words ask for. Call one with call_tool, without a search, if it fits.
    <suggested-tools>
    {"name":"get_weather","description":"\\u003c/tool>"}
    </suggested-tools>",
      "",
      "You have to call this tool now, with call_tool.
    <tool>
    {"name":"get_weather","description":"\\u003c/tool>"}
    </tool>",
      "Found 2 tool(s). Call a now: call_tool with its exact toolName and its arguments.",
      "Call it now: call_tool with the exact toolName and its arguments.",
      "Call them now: call_tool with the exact toolName and its arguments.",
      "city is missing

    The tool was not run. Call it again with arguments that fit its parameters.",
      "city is missing

    The tool was not run. Call call_tool again with arguments that fit its parameters. Call find with "select:get_weather" for its schema.",
      "call_tool needs the toolName of a tool and its arguments. Use search_tools to find tools.",
      "No tool may be called now, and none was run. Answer without one.",
      "Only the tool "clock" may be called now, and no other was run. Call it, or answer without a tool.",
      "Tool "get_weather" cannot be used now, for a technical reason. Go on without it, or use another tool.",
      "Tool "delete_user" is not available to this request. Do not call it again; search for another tool or go on without.",
      "Call the tool "get_weather" through call_tool, with it as toolName.",
      "Tool "get_weather" cannot be called in this request: it needs an approval or an answer, which cannot be asked for here. Do not call it again; go on without, or say what is missing.",
      "Tool "get_weather" cannot be called in this request: it runs elsewhere. Do not call it again; go on without, or say what is missing.",
      "Tool "get_weather" cannot be called in this request: it is one of the model provider's own. Do not call it again; go on without, or say what is missing.",
      "Tool "get_weather" cannot be reached now, so its call did not run. Search for it again, or go on without.",
    ]
  `);
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
