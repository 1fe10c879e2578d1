// What stands in every request, word by word: it is measured before it changes. What answers say, other tests here quote.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as prompts from '../../src/meta-tools/prompts.ts';
import { anyText } from '../support/any-text.ts';

const names = { search: 'search_tools', load: 'load_tool' };
const tools = [
  { name: 'get_weather', description: 'Get the current weather of a city.' },
  { name: 'nameless', description: '' },
];

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
