import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readJson, withoutComments } from '../../../../src/workbench/cli/catalog/json.ts';

it('reads JSON with comments and a comma too many, as VS Code writes it', () => {
  const text = `{
    // a "comment" with, [brackets]
    "url": "http://x//y", /* and
    another */ "list": [1, 2, ], "text": "/* none */ \\" // none",
  }`;
  expect(readJson(text, 'mcp.json')).toEqual({ url: 'http://x//y', list: [1, 2], text: '/* none */ " // none' });
});

it('changes nothing of what is JSON already', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const json = JSON.stringify(value, null, space);
      expect(JSON.parse(withoutComments(json))).toEqual(JSON.parse(json));
    }),
  );
});

it('says what is wrong of what is none', () => {
  expect(() => readJson('{ "a": 1, b }', 'a.json')).toThrow('a.json is no JSON (');
  expect(() => readJson(' \n', 'a.json')).toThrow('a.json is empty.');
});
