// The tools and texts of the contract of a ToolSource.

import { tool, toolRecord } from '../support/agent.ts';
import type { SourceTool } from '../support/memory-source.ts';

const of = (group: string, name: string, description: string) =>
  Object.assign(tool(name, description), { mcpMetadata: { serverName: group } });

/** What the tenant "office" has. Names that a lookup in a plain object would find are among them. */
export const officeTools: Readonly<Record<string, SourceTool>> = toolRecord(
  of('weather', 'get_weather', 'Get the current weather of a city.'),
  // An underscore of a pattern is no wildcard.
  of('weather', 'getXforecast', 'The forecast for the next days of a city.'),
  of('mail', 'send_email', 'Send an email message to somebody.'),
  of('mail', 'read_inbox', 'Read the newest messages of a mailbox.'),
  of('github', 'github_create_issue', 'Create an issue in a repository.'),
  of('github', 'github_close_issue', 'Close an issue of a repository.'),
  tool('create_issue', 'Create an issue on the board of the team.'),
  tool('create_calendar_event', 'Create an event in the calendar, with guests.'),
  tool('convert_currency', 'Convert an amount between currencies.'),
  tool('list_files', 'List the files of a folder.'),
  tool('constructor', 'Make an object of a class.'),
  tool('toString', 'Write a number in words.'),
  tool('no_description', ''),
);

/** What the tenant "other" has: one name in common, another tool. */
export const otherTools: Readonly<Record<string, SourceTool>> = toolRecord(
  tool('get_weather', 'Get the weather for the other tenant.'),
  tool('read_secret_ledger', 'Read the secret ledger.'),
);

/** Names that no tool has, and that would do harm where a name is taken for more. */
export const hostileNames: readonly string[] = [
  '__proto__',
  'hasOwnProperty',
  'valueOf',
  'prototype',
  "'; DROP TABLE tool_search; --",
  '%',
  '_'.repeat(64),
  'send_email\u0000',
  '\u0000',
  '\ud800',
  '🦄',
  'x'.repeat(100_000),
  '../../etc/passwd',
  '\\',
  '"',
];

/** Queries that are no ordinary words. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '!?!',
  '🦄🌦️ 👩‍👩‍👧',
  'weather\u0000city',
  '\ud800 weather',
  "weather' OR 1=1 --",
  'weather & | ! ( ) <-> :* :A',
  'weather:* city:ABCD',
  '% _ \\ \\\\ $1 $$',
  '__proto__ constructor hasOwnProperty',
  'weather '.repeat(2_000),
  'x'.repeat(100_000),
  Array.from({ length: 500 }, (_, n) => `word${n}`).join(' '),
  '快递 天气',
  'ΑΒΓ Überweisung İstanbul',
  '+weather +city',
  '+ - +-',
  '<script>alert(1)</script>',
  '{"limit": 1}',
];
