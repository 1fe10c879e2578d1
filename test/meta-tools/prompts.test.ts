import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as prompts from '../../src/meta-tools/prompts.ts';
import { anyText } from '../support/any-text.ts';

const names = { search: 'search_tools', load: 'load_tool' };
const other = { search: 'find', load: 'take' };
const tools = [
  { name: 'get_weather', description: 'Get the current weather of a city.' },
  { name: 'nameless', description: '' },
];

describe('the system text', () => {
  it('explains search and load', () => {
    expect(prompts.systemText(names, false)).toMatchInlineSnapshot(
      `"To discover available tools, call search_tools with a keyword query. To add one or more tools to the conversation, call load_tool with a toolName or toolNames array. Tools must be loaded before they can be used."`,
    );
    expect(prompts.systemText(other, false)).toMatchInlineSnapshot(
      `"To discover available tools, call find with a keyword query. To add one or more tools to the conversation, call take with a toolName or toolNames array. Tools must be loaded before they can be used."`,
    );
  });

  it('is firmer for a model that answers in prose', () => {
    expect(prompts.firmSystemText(names, false)).toMatchInlineSnapshot(
      `"You have many more tools than are listed. Do what the user asks with them, do not explain how: first call search_tools, then load_tool with a toolName that it returned, then that tool."`,
    );
    expect(prompts.firmSystemText(names, true)).toMatch(/then call a tool that it found\.$/);
    expect(prompts.firmSystemText(other, false, 'call_tool')).toMatch(
      /first call find, then call_tool with a toolName/,
    );
  });

  it('explains autoLoad', () => {
    expect(prompts.systemText(names, true)).toMatchInlineSnapshot(
      `"To discover available tools, call search_tools with a keyword query. Matching tools are loaded automatically — there is no separate load step. After searching, call the tool directly."`,
    );
  });

  it('lists the catalog with descriptions', () => {
    expect(prompts.catalogText(tools, names, false, 0)).toMatchInlineSnapshot(`
      "The following tools are available to load. Call load_tool with a toolName or toolNames array to add one or more before using them — no search step is required. search_tools is also available if you need to rediscover tools by keyword.

      Available tools:
      - \`get_weather\`: Get the current weather of a city.
      - \`nameless\`"
    `);
    expect(prompts.catalogText(tools, names, true, 0)).toMatchInlineSnapshot(`
      "The following tools are available. Call search_tools with a keyword to load one — matching tools are loaded automatically, to be called directly.

      Available tools:
      - \`get_weather\`: Get the current weather of a city.
      - \`nameless\`"
    `);
  });

  it('lists no catalog without tools', () => {
    expect(prompts.catalogText([], names, false, 0)).toBe('');
  });

  it('has one line for each tool, whatever the tool says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ name: anyText(), description: anyText() }), { minLength: 1, maxLength: 4 }),
        (list) => {
          const lines = prompts.catalogText(list, names, false, 0).split(/[\n\r\u2028\u2029\u0085]/);
          expect(lines.length).toBe(3 + list.length);
          for (const line of lines.slice(3)) expect(line).toMatch(/^- `/);
        },
      ),
    );
  });
});

it('prompts say when there is nothing to find, and when enough has been searched', () => {
  expect(prompts.noTools(false)).toMatchInlineSnapshot(
    `"No other tools are available at the moment. Searching again does not help now: go on without, or say what is missing."`,
  );
  expect(prompts.noTools(true)).toMatchInlineSnapshot(
    `"No other tools are available at the moment: the list of them could not be fetched. Searching again does not help now: go on without, or say what is missing."`,
  );
  expect(prompts.searchedInVain(3)).toMatchInlineSnapshot(
    `"You have searched 3 times without loading or calling a tool. If nothing that was found fits, search no more: answer without a tool, or ask the user."`,
  );
  expect(prompts.nothingFound(['a'], false)).toBe('No tools found matching "a".');
  expect(prompts.closest('a', ['b'], names, false, false)).toMatch(/one that really fits; else go on without\.$/);
});

it('prompts say when nothing fits well', () => {
  expect(prompts.nothingFound(['a', 'b'], true)).toMatchInlineSnapshot(
    `"No tools found matching "a", "b". Try different keywords."`,
  );
  expect(prompts.closest('make coffee', ['a', 'b'], names, true, true)).toContain(
    'Call search_tools with "select:" and its name only',
  );
  expect(prompts.closest('make coffee', ['a', 'b'], names, false, true)).toMatchInlineSnapshot(
    `"No tool clearly matches "make coffee"; closest: a, b. Use load_tool only for one that really fits; else search with other words, or go on without."`,
  );
  expect(prompts.closestLoaded('make coffee', ['a', 'b'])).toMatchInlineSnapshot(
    `"No tool clearly matches "make coffee"; the closest were loaded: a, b. Call one only if it really fits; else search with other words, or go on without."`,
  );
  expect(prompts.weakQueries(['make coffee', 'fly'])).toMatchInlineSnapshot(
    `"No tool clearly matches "make coffee", "fly": read the descriptions before you use one that was found for it."`,
  );
  expect(prompts.notAllChecked()).toMatchInlineSnapshot(
    `"Not all tools could be checked in time. If what you need is missing, search once more, or with more specific words."`,
  );
  expect(prompts.ignoredQueries(3)).toMatchInlineSnapshot(`"3 more queries were ignored; ask fewer at a time."`);
});

it('prompts say what loading did besides, and what a missed call was', () => {
  expect(prompts.roomNotes({ evicted: [], leftOut: [], tooMany: [], failed: [] })).toBe('');
  expect(prompts.roomNotes({ evicted: ['a'], leftOut: ['b', 'c'], tooMany: ['d'], failed: [] })).toMatchInlineSnapshot(
    `" Unloaded to make room: a. No room for: b, c. Load fewer at a time. 1 more were not loaded, as one call loads no more: d. Ask again for those you need."`,
  );
  const twelve = Array.from({ length: 12 }, (_, n) => `t${n}`);
  expect(prompts.roomNotes({ evicted: [], leftOut: twelve, tooMany: [], failed: [] })).toContain('t9 and 2 more');
  expect(prompts.roomNotes({ evicted: [], leftOut: [], tooMany: twelve, failed: [] })).toContain('t9 and 2 more');
  expect(prompts.unloadedMany(['a'], ['b'])).toMatchInlineSnapshot(
    `"Unloaded: a — gone from your next turn on | Not loaded, or always available: b"`,
  );
  expect(prompts.unloadDescription(names)).toMatchInlineSnapshot(
    `"Unload tools that you no longer need, by an array of toolNames. They can be found with search_tools and loaded again."`,
  );
  expect(prompts.calledLater('get_weather')).toMatchInlineSnapshot(
    `"The tool "get_weather" was not loaded when you called it. It is available now: call it again."`,
  );
  expect(prompts.calledUnderAnotherName('get_weather')).toMatchInlineSnapshot(
    `"You called a tool by a name that no tool has. "get_weather" is available now: call it by this name."`,
  );
});

describe('the description of a meta-tool', () => {
  it('says what it is for', () => {
    expect(prompts.searchDescription(names, false)).toMatchInlineSnapshot(
      `"Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools with their names and descriptions. After finding a useful tool, use load_tool to make it available."`,
    );
    expect(prompts.searchDescription(names, true)).toMatchInlineSnapshot(
      `"Search for available tools by keyword. Use this when you need a capability you don't currently have: say in a few words what the tool must do and with which service, without the data it is to work on. Returns a list of matching tools, which are loaded automatically: call them directly, there is no separate load step."`,
    );
    expect(prompts.loadDescription(names)).toMatchInlineSnapshot(
      `"Load one or more tools into your context. Call this after finding tools with search_tools. Once loaded, tools will be available for use. Pass a single toolName or an array of toolNames to load multiple tools at once."`,
    );
    expect(prompts.parameterDescriptions).toMatchInlineSnapshot(`
      {
        "calledArguments": "The tool's own arguments, by the names of its parameters",
        "calledName": "The exact name of the tool, as search results have it",
        "query": "What the tool must do: service, action and object, in a few words. "+" before a word requires it; "select:" before exact names, separated by commas, gets those tools.",
        "toolName": "The exact name of a tool to load (from search results)",
        "toolNames": "Array of exact tool names to load in one call (from search results)",
      }
    `);
  });
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

describe('the answer to a search', () => {
  it('asks for words without words', () => {
    expect(prompts.emptyQuery(names)).toMatchInlineSnapshot(
      `"The query is empty. Call search_tools again with words for what you need."`,
    );
    expect(prompts.nothingToSelect(names)).toMatchInlineSnapshot(
      `""select:" needs exact tool names behind it, separated by commas. Call search_tools with keywords if you do not know them."`,
    );
  });

  it('says that nothing was found', () => {
    expect(prompts.nothingFound(['issue\n"tracker"'], true)).toMatchInlineSnapshot(
      `"No tools found matching "issue "tracker"". Try different keywords."`,
    );
  });

  it('says that the search failed', () => {
    expect(prompts.searchOutOfOrder('issue')).toMatchInlineSnapshot(
      `"The search for "issue" failed for a technical reason; no tools could be looked up. Try once more, else go on without."`,
    );
  });

  it('says how many tools were found', () => {
    expect(prompts.found(3, names)).toMatchInlineSnapshot(
      `"Found 3 tool(s). Use load_tool with an exact toolName or a toolNames array to make them available."`,
    );
    expect(prompts.found(1, other)).toMatchInlineSnapshot(
      `"Found 1 tool(s). Use take with an exact toolName or a toolNames array to make them available."`,
    );
  });

  it('says what was found and loaded', () => {
    expect(prompts.foundAndLoaded(['a', 'b'], 0)).toMatchInlineSnapshot(
      `"Found and loaded 2 tool(s): a, b. Call them now."`,
    );
    expect(prompts.foundAndLoaded(['a', 'b'], 1)).toMatchInlineSnapshot(
      `"Found and loaded 2 tool(s): a, b. Call them now. Some were already loaded."`,
    );
    expect(prompts.nothingToLoad('mail', true)).toMatchInlineSnapshot(
      `"No tools available to load matching "mail". Try different keywords."`,
    );
  });

  it('says what was selected', () => {
    const unknown = [
      { name: 'getC', suggestions: ['get_c', 'get_d'] },
      { name: 'x\ny', suggestions: [] },
    ];
    expect(prompts.selectedText(['a', 'b'], [], [], 0, names)).toMatchInlineSnapshot(
      `"Loaded 2 tool(s): a, b. Call them now."`,
    );
    expect(prompts.selectedText(['a'], ['b'], unknown, 0, names)).toMatchInlineSnapshot(
      `"Loaded 1 tool(s): a. Call it now. Already loaded: b. Not found: getC (did you mean get_c, get_d?), x y."`,
    );
    expect(prompts.selectedText(['a'], [], [], 30, names)).toMatchInlineSnapshot(
      `"Loaded 1 tool(s): a. Call it now. 30 more name(s) were ignored; load fewer at a time."`,
    );
    expect(prompts.selectedText([], ['b'], [], 0, names)).toMatchInlineSnapshot(`"Already loaded: b."`);
    expect(prompts.selectedText([], [], unknown, 0, names)).toMatchInlineSnapshot(
      `"Not found: getC (did you mean get_c, get_d?), x y. Call search_tools with keywords to find tools."`,
    );
  });
});

describe('the answer to a load', () => {
  it('asks for names without names', () => {
    expect(prompts.emptyNames()).toMatchInlineSnapshot(`"toolNames array must not be empty."`);
    expect(prompts.missingNames()).toMatchInlineSnapshot(
      `"You must provide either toolName (string) or toolNames (array) to load."`,
    );
  });

  it('says what became of one tool', () => {
    expect(prompts.loadedOne('get_weather')).toMatchInlineSnapshot(
      `"Tool "get_weather" loaded successfully. Call it now."`,
    );
    expect(prompts.alreadyLoaded('get_weather', 0, '')).toBe(
      'Tool "get_weather" needs no loading: it is in your list. Do not load it again. Call it now.',
    );
    expect(prompts.alreadyLoaded('get_weather', 1, '')).toMatchInlineSnapshot(
      `"Tool "get_weather" is in your list, and was when you loaded it before. Loading it again changes nothing: your next call has to be get_weather itself."`,
    );
    expect(
      prompts.alreadyLoaded('get_weather', 2, prompts.howToCall('get_weather(city)', '{"city":"…"}')),
    ).toMatchInlineSnapshot(
      `"Tool "get_weather" is in your list. Do not load it, and do not search for it: call it. Its parameters: get_weather(city). An input of the right shape: {"city":"…"}"`,
    );
    expect(prompts.notFound({ name: 'qqqq', suggestions: [] }, names)).toMatchInlineSnapshot(
      `"Tool "qqqq" not found. Use search_tools to find available tools."`,
    );
    expect(prompts.notFound({ name: 'getA', suggestions: ['get_a', 'get_b'] }, names)).toMatchInlineSnapshot(
      `"Tool "getA" not found. Did you mean: get_a, get_b?"`,
    );
  });

  it('says what became of many tools', () => {
    const unknown = [
      { name: 'getC', suggestions: ['get_c'] },
      { name: 'qqqq', suggestions: [] },
    ];
    expect(prompts.loadedMany(['a', 'b'], ['c'], unknown, 7)).toMatchInlineSnapshot(
      `"Loaded: a, b — call them now | Already loaded: c | Not found: getC (did you mean get_c?), qqqq | 7 more name(s) were ignored; load fewer at a time"`,
    );
    expect(prompts.loadedMany(['a'], [], [], -99)).toMatchInlineSnapshot(`"Loaded: a — call it now"`);
  });
});

it('prompts name the tools among the results that need no load', () => {
  expect(prompts.needNoLoading(['clock'])).toMatchInlineSnapshot(
    `"clock needs no loading: it is in your list. Do not load it again. Call it now."`,
  );
  expect(prompts.needNoLoading(['clock', 'calendar'])).toMatchInlineSnapshot(
    `"clock, calendar need no loading: they are in your list. Do not load them again. Call the one that fits now."`,
  );
});

it("prompts say what the user's message found", () => {
  expect(prompts.foundByMessage()).toMatchInlineSnapshot(
    `"Those with fromMessage were found by the user's own message."`,
  );
  expect(prompts.noMatch(['85001', 'AZ'])).toMatchInlineSnapshot(`"Nothing matches "85001", "AZ"."`);
});

it('prompts tell a denied call from one to try again', () => {
  expect(prompts.notAvailable('delete_user')).toMatchInlineSnapshot(
    `"Tool "delete_user" is not available to this request. Do not call it again; search for another tool or go on without."`,
  );
});

it('prompts say what became of tools that a search in the conversation named', () => {
  expect(prompts.noLongerLoaded(['get_weather', 'send_email'])).toMatchInlineSnapshot(
    `"No longer loaded: get_weather, send_email. Search again for what you still need."`,
  );
  expect(prompts.sentAnyway(['get_weather'])).toMatchInlineSnapshot(`"Available: get_weather. Call them directly."`);
});

it('prompts say that a provider searches', () => {
  expect(prompts.hostedSearchText()).toMatchInlineSnapshot(
    `"There are more tools than you see. When you need a capability that you do not have, search for tools first, then call them directly."`,
  );
});
