import type { InspectData, InspectTool } from '../../../../src/inspect/data.ts';
import type { ReadCase } from '../../../../src/workbench/evaluate/cases.ts';
import { readSet } from '../../../bench/retrieval/sets.ts';

const set = readSet('test/fixtures/mcp-dev');

/** The tools of a real catalog as the page is given them. */
export const realTools: readonly InspectTool[] = set.tools.map(({ id, description, inputSchema }) => ({
  name: id,
  description,
  inputSchema,
}));
export const realCases: readonly ReadCase[] = set.queries.map(({ id, query, relevant, groups }) => ({
  ...{ id, query, relevant },
  groups: groups ?? relevant.map((name) => [name]),
}));

/** Data of a page over tools. */
export function dataOf(tools: readonly InspectTool[], parts: Partial<InspectData> = {}): InspectData {
  const scorers = ['bm25', 'tiered'].map((name) => ({ name, isLocal: true }));
  return { title: 'Tools', tools, scorers, topK: 5, ...parts };
}

/** A case whose tools are a need each. */
export function caseOf(query: string, ...relevant: string[]): ReadCase {
  return { id: query, query, relevant, groups: relevant.map((name) => [name]) };
}
