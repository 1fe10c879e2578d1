import { describe, expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import { Documents } from './documents.ts';

const { tools, sets } = readCorpus();
const documents = new Documents(tools);

describe('documents of the bench of sources', () => {
  it('begin with the real tools, unchanged', () => {
    expect([...documents.take(tools.length)]).toEqual(tools);
  });

  it('have a name of their own each', () => {
    const names = new Set([...documents.take(20_000)].map(({ id }) => id));
    expect(names.size).toBe(20_000);
  });

  it('are the same for the same number, whichever were asked for before', () => {
    const far = documents.at(1_000_000);
    expect(new Documents(tools).at(1_000_000)).toEqual(far);
    expect([...documents.take(3, 1_000_000)][0]).toEqual(far);
  });

  it('are about other things than the tool that they vary, in names, descriptions and parameters', () => {
    const varied = [...documents.take(tools.length, tools.length)];
    const equal = varied.filter((tool, at) => tool.description !== '' && tool.description === tools[at]?.description);
    expect(equal.length).toBeLessThan(tools.length / 20);
    const original = tools.find(({ id }) => id === 'contentful_get_ai_action_invocation');
    const one = documents.at(tools.length + tools.indexOf(original as never));
    expect(one).toMatchInlineSnapshot(`
      {
        "description": "Get the result of a previous AI Action html Adds a new variation to an AI Config, supporting experimentation or multi-model strategies.",
        "id": "nadegi_get_ai_action_html",
        "inputSchema": {
          "properties": {
            "aiActionId": {
              "description": "The ID of the AI Action",
              "type": "string",
            },
            "allId": {
              "default": "master",
              "description": "The ID of the all within the resume, by completed this will be called Master",
              "type": "string",
            },
            "htmlId": {
              "description": "The ID of the specific html to retrieve",
              "type": "string",
            },
            "resumeId": {
              "description": "The ID of the Nadegi resume. This must be the resume's ID, not its name, ask for this ID if it's unclear.",
              "type": "string",
            },
          },
          "required": [
            "aiActionId",
            "htmlId",
            "resumeId",
            "allId",
          ],
          "type": "object",
        },
      }
    `);
  });

  it('have names that providers accept, where they are varied', () => {
    for (const { id } of documents.take(5_000, tools.length)) expect(id.length, id).toBeLessThanOrEqual(64);
  });

  it('hold every tool that a query of a measured set asks for', () => {
    const names = new Set(tools.map(({ id }) => id));
    const asked = sets.flatMap(({ queries }) => queries.flatMap(({ relevant }) => relevant));
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });
});
