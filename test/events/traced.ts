import type { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { AnyExportedSpan } from '@mastra/core/observability';
import { Observability, TestExporter } from '@mastra/observability';
import type { ToolSearchChunk } from 'mastra-tool-search';
import { expect } from 'vitest';

/** What a span says of a tool search. */
export type Said = Readonly<Record<string, unknown>>;

export interface Traced {
  readonly exporter: TestExporter;
  readonly agent: Agent;
  /** Runs, and returns the chunks of this package on the stream. */
  run(said?: string, options?: object): Promise<readonly ToolSearchChunk[]>;
  /** The spans that ended, in the order in which they began. */
  spans(): Promise<readonly AnyExportedSpan[]>;
  /** What the spans of a name say of tool searches. */
  said(name: string): Promise<readonly Said[]>;
  /** This package's own spans, each as `parent > its type`, by the alphabet: several may begin in one millisecond. */
  own(): Promise<readonly string[]>;
}

export const STEP = 'input step processor: tool-search';
export const search = "tool: 'search_tools'";

/** An agent of a Mastra with real observability, whose exporter keeps what it gets. */
export function traced(agent: Agent, config: object | null = {}, settings: object = {}): Traced {
  const exporter = new TestExporter({ storeLogs: false, logMetricsOnFlush: false });
  const observability =
    config && new Observability({ configs: { default: { serviceName: 'test', exporters: [exporter], ...config } } });
  const mastra = new Mastra({
    agents: { agent },
    logger: false,
    ...(observability ? { observability } : {}),
    ...settings,
  });
  const registered = mastra.getAgent('agent') as Agent;
  const spans = async (): Promise<readonly AnyExportedSpan[]> => {
    // An index may be built while the run goes on.
    await expect.poll(() => exporter.getIncompleteSpans()).toEqual([]);
    await observability?.getDefaultInstance()?.flush();
    return exporter.getCompletedSpans().toSorted((one, other) => Number(one.startTime) - Number(other.startTime));
  };
  return {
    ...{ exporter, agent: registered, spans },
    run: async (said = 'go', options = {}) => {
      const given = (await registered.stream(said, { maxSteps: 10, ...options })) as Streamed;
      return chunksOf(given.output ?? given);
    },
    said: async (name) => {
      const named = (await spans()).filter((span) => span.name === name);
      return named.map(saidBy).filter((said) => said !== undefined);
    },
    own: async () => {
      const all = await spans();
      return all
        .filter(({ name }) => name.startsWith(OWN))
        .map(
          ({ name, parentSpanId }) => `${all.find(({ id }) => id === parentSpanId)?.name} > ${name.slice(OWN.length)}`,
        )
        .toSorted();
    },
  };
}

const OWN = 'tool-search: ';

/** What a span says of a tool search. */
export function saidBy(span: AnyExportedSpan): Said | undefined {
  return (span.attributes as { readonly toolSearch?: Said } | undefined)?.toolSearch;
}

interface Streamed {
  readonly fullStream: AsyncIterable<{ readonly type: string }>;
  /** What a DurableAgent's stream stands in. */
  readonly output?: Streamed;
}

/** The chunks of this package on a stream, which is read to its end. */
export async function chunksOf({ fullStream }: Streamed): Promise<readonly ToolSearchChunk[]> {
  const chunks: ToolSearchChunk[] = [];
  for await (const chunk of fullStream) {
    if (chunk.type === 'data-tool-search') chunks.push(chunk as unknown as ToolSearchChunk);
  }
  return chunks;
}
