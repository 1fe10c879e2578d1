import { ToolSearchProcessor as CoreToolSearchProcessor, type ProcessInputStepArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, calls, load, rig } from '../support/harness.ts';
import { asText, recordingSpan, type SpanRecord } from '../support/recording-span.ts';

const SECRET = 'Turns off the alarm of the vault';

const toolOf = (id: string, description: string): MastraTool =>
  createTool({
    id,
    description,
    inputSchema: z.object({ code: z.string().describe(`${description}, by this code`), when: z.string().optional() }),
    execute: async () => 'ran',
  }) as unknown as MastraTool;

const catalog = (): Record<string, MastraTool> => ({
  subject: toolOf('subject', 'Subject'),
  secret_admin: toolOf('secret_admin', SECRET),
  ...Object.fromEntries(
    Array.from({ length: 98 }, (_, n) => [`filler_${n}`, toolOf(`filler_${n}`, `Padding number ${n}`)]),
  ),
});
const filter = ({ toolName }: { toolName: string }) => !toolName.startsWith('secret');

interface Traced {
  /** What the run's spans hold. */
  readonly text: string;
  /** The definitions in its `model_generation` span. */
  readonly definitions: string;
  /** What a processor placed before was given, without functions. */
  readonly before: string;
}

async function traced(Processor: typeof ToolSearchProcessor | typeof CoreToolSearchProcessor): Promise<Traced> {
  let before = '';
  const earlier = {
    id: 'earlier',
    processInputStep: ({ tools }: ProcessInputStepArgs) => {
      before += JSON.stringify(tools);
      return {};
    },
  };
  const processor = new Processor({ tools: catalog(), filter } as never);
  const { agent } = rig(
    { tools: {} },
    {
      script: calls(load('subject'), call('subject', { code: 'x' })),
      agent: { inputProcessors: [earlier as never, processor] },
    },
  );
  const records: SpanRecord[] = [];
  await agent.generate('go', { tracingContext: { currentSpan: recordingSpan(records) } } as never);
  const generation = records.find(({ type }) => type === 'model_generation');
  const attributes = (generation?.written[0] as { attributes?: { tools?: unknown } } | undefined)?.attributes;
  return { text: asText(records), definitions: JSON.stringify(attributes?.tools ?? []), before };
}

describe('the spans of a run over 100 tools, one of them denied,', () => {
  it('hold no description and no schema of what is not loaded', async () => {
    const { text, definitions, before } = await traced(ToolSearchProcessor);
    expect(text).toContain('model_generation');
    expect(definitions).toContain('"name":"filler_97"');
    for (const seen of [text, definitions, before]) {
      expect(seen).not.toContain(SECRET);
      expect(seen).not.toContain('Padding number');
    }
  });

  it('take 80 bytes at most for the name of a tool', async () => {
    const ours = await traced(ToolSearchProcessor);
    const theirs = await traced(CoreToolSearchProcessor as never);
    expect(ours.definitions.length).toBeLessThan(theirs.definitions.length + 100 * 80);
  });
});
