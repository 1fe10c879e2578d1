import { createTool } from '@mastra/core/tools';
import { jsonSchema } from 'ai';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { providerSchema } from '../../src/mastra/calls.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const model = (provider = 'openai.responses', modelId = 'gpt-5') =>
  scriptedModel(() => ({ text: 'done' }), { provider, modelId });

const make = (inputSchema: unknown): MastraTool =>
  createTool({ id: 'subject', description: 'Subject.', inputSchema, execute: async () => 'ran' } as never) as never;
const subject = () => make(z.object({ city: z.string().min(2), days: z.number().optional() }));

interface Standard {
  jsonSchema: { input(): { required?: string[] }; output(): object };
  validate(value: unknown): unknown;
}
const standardOf = (schema: unknown) => (schema as { '~standard': Standard })['~standard'];

describe('the schema that a provider is sent', () => {
  it('is the same object for the same tool and model over all steps', () => {
    const [tool, used] = [subject(), model()];
    const first = providerSchema(tool, 'subject', used);
    expect(first).toBeDefined();
    expect(providerSchema(tool, 'subject', used)).toBe(first);
  });

  it('is made for each model', () => {
    const tool = subject();
    const strict = standardOf(providerSchema(tool, 'subject', model()));
    const plain = standardOf(providerSchema(tool, 'subject', model('scripted', 'scripted')));
    expect(strict.jsonSchema.input().required).toEqual(['city', 'days']);
    expect(plain.jsonSchema.input().required).toEqual(['city']);
  });

  it('is made for each tool, also of the same name', () => {
    const used = model();
    const other = make(z.object({ text: z.string() }));
    expect(providerSchema(subject(), 'subject', used)).not.toBe(providerSchema(other, 'subject', used));
  });

  it('leaves the tool as it is', () => {
    const tool = subject();
    const { inputSchema } = tool;
    Object.freeze(tool);
    expect(providerSchema(tool, 'subject', model())).toBeDefined();
    expect(tool.inputSchema).toBe(inputSchema);
  });

  it('lets every input pass, as the tool validates it behind its approval and the hooks of the agent', () => {
    const { validate } = standardOf(providerSchema(subject(), 'subject', model()));
    expect(validate({ city: 5 })).toEqual({ value: { city: 5 } });
  });
});

describe('providerSchema()', () => {
  it.each(['openai/gpt-5', undefined, null, 5])(
    'returns the schema as no provider shapes it for the model %j, which is not resolved',
    (unresolved) => {
      const { jsonSchema } = standardOf(providerSchema(subject(), 'subject', unresolved));
      expect(jsonSchema.input().required).toEqual(['city']);
    },
  );

  it('returns nothing for a tool without a schema', () => {
    const tool = createTool({ id: 'subject', description: 'Subject.', execute: async () => 'ran' });
    expect(providerSchema(tool as never, 'subject', model())).toBeUndefined();
  });

  it('returns the schema as no provider shapes it for a model whose provider cannot be read', () => {
    const odd = {
      get provider(): string {
        throw new Error('no provider');
      },
    };
    expect(standardOf(providerSchema(subject(), 'subject', odd)).jsonSchema.input().required).toEqual(['city']);
  });

  it.each([
    {
      why: 'it throws',
      inputSchema: () => {
        throw new Error('no schema today');
      },
    },
    { why: 'it is a text', inputSchema: 'object' },
    {
      why: 'it cannot be read',
      inputSchema: {
        get '~standard'(): unknown {
          throw new Error('no schema today');
        },
      },
    },
  ])('throws every time for a schema that Mastra cannot convert: $why', ({ inputSchema }) => {
    const tool = { id: 'subject', description: 'Subject.', inputSchema, execute: async () => 'ran' };
    const its = model();
    for (let time = 0; time < 2; time++) expect(() => providerSchema(tool as never, 'subject', its)).toThrow();
  });

  it('returns a schema that only the provider’s layer cannot read as no provider shapes it', () => {
    const inputSchema = jsonSchema({ type: 'object', properties: { nothing: null } } as never);
    const tool = createTool({ id: 'subject', description: 'Subject.', inputSchema, execute: async () => 'ran' });
    const schema = standardOf(providerSchema(tool as never, 'subject', model()));
    expect(schema.jsonSchema.input()).toMatchObject({ type: 'object', properties: { nothing: null } });
  });
});
