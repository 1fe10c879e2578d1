// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { describe, expect, it } from 'vitest';
import { expanded, serversIn, wordsOf, writtenServer } from '../../../../src/workbench/cli/catalog/mcp-config.ts';

describe('wordsOf', () => {
  it.each([
    ['npx -y  server', ['npx', '-y', 'server']],
    [`a 'b c' "d e"f ''`, ['a', 'b c', 'd ef', '']],
    [`a\\ b "c\\"d" 'e\\f' C:\\dir\\x`, ['a b', 'c"d', 'e\\f', 'C:\\dir\\x']],
    ['\t\n', []],
  ])('splits %j as a shell does', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it('refuses a quote that is open', () => {
    expect(() => wordsOf('npx "server')).toThrow('A quote is not closed in npx "server.');
  });
});

describe('expanded', () => {
  const environment = { NAME: 'ada', EMPTY: '' };

  it.each([
    ['plain', 'plain'],
    ['${NAME} and ${env:NAME}', 'ada and ada'],
    ['${NONE:-a:-b}${EMPTY:-c}${EMPTY}', 'a:-bc'],
    ['${open', '${open'],
    ['$NAME', '$NAME'],
    ['${constructor:-none}', 'none'],
  ])('reads %s', (text, value) => {
    expect(expanded(text, environment)).toBe(value);
  });

  it('expands no value again', () => {
    expect(expanded('${A}', { A: '${B}', B: 'secret' })).toBe('${B}');
  });

  it('refuses a variable that there is not', () => {
    expect(() => expanded('${NONE}', environment)).toThrow(
      'the environment has no ${NONE}. Set it, or write ${NONE:-default}.',
    );
    expect(() => expanded('${input:key}', environment)).toThrow('only an editor knows ${input:key}.');
  });
});

describe('serverOf', () => {
  it('reads a command with its variables, in the environment of the user', () => {
    expect(writtenServer('TOKEN=a=b npx -y server --x=1', {}, { PATH: '/bin', UNSET: undefined })).toEqual({
      ...{ command: 'npx', args: ['-y', 'server', '--x=1'] },
      env: { PATH: '/bin', TOKEN: 'a=b' },
    });
  });

  it('reads a URL with headers', () => {
    expect(writtenServer(' https://example.com/mcp ', { A: 'b' }, {})).toEqual({
      url: 'https://example.com/mcp',
      headers: { A: 'b' },
      isSse: false,
    });
  });

  it.each(['', 'TOKEN=1'])('refuses %j', (text) => {
    expect(() => writtenServer(text, {}, {})).toThrow('--mcp needs a command or a URL');
  });
});

it('reads the servers of Claude, Cursor and VS Code', () => {
  const environment = { HOME: '/home/ada' };
  const one = { command: 'npx', args: ['-y', '${HOME}/x'], env: { A: '${HOME}' }, cwd: '${HOME}' };
  const read = { name: 'one', command: 'npx', args: ['-y', '/home/ada/x'], env: { A: '/home/ada' }, cwd: '/home/ada' };
  expect(serversIn({ mcpServers: { one } }, environment)).toEqual([read]);
  expect(serversIn({ servers: { one: { type: 'stdio', ...one } }, inputs: [] }, environment)).toEqual([read]);
  expect(
    serversIn(
      { mcpServers: { a: { url: 'http://x', type: 'sse' }, b: { serverUrl: 'http://y', headers: { A: 'b' } } } },
      {},
    ),
  ).toEqual([
    { name: 'a', url: 'http://x', headers: {}, isSse: true },
    { name: 'b', url: 'http://y', headers: { A: 'b' }, isSse: false },
  ]);
  expect(serversIn([], {})).toBeUndefined();
  expect(serversIn({ tools: [] }, {})).toBeUndefined();
});

it.each([
  [{ args: 'x' }, 'its "args" must be a list of texts; got "x".'],
  [{ args: { 0: 'x' } }, 'its "args" must be a list of texts; got {"0":"x"}.'],
  [{ args: ['-y', null] }, 'its "args" may have texts only; got null.'],
  [{ args: [{}] }, 'its "args" may have texts only; got {}.'],
  [{ env: 'A=b' }, 'its "env" must hold texts by name; got "A=b".'],
  [{ env: { A: {} } }, 'its "env" may have texts only; got {}.'],
  [{ args: ['${constructor}'] }, 'the environment has no ${constructor}.'],
])('refuses a server with %j', (fields, message) => {
  const servers = { one: { command: 'npx', ...fields }, two: { command: 'npx', args: [1, true], env: { A: 1 } } };
  expect(serversIn({ mcpServers: servers }, {})).toEqual([
    { name: 'one', error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    { name: 'two', command: 'npx', args: ['1', 'true'], env: { A: '1' } },
  ]);
});
