import { toolDocument } from '../../../src/catalog/document.ts';
import type { ToolDocument, ToolScorer } from '../../../src/index.ts';
import type { ToolIndex, ToolMatch } from '../../../src/scorers/scorer.ts';
import { parseQuery, type ToolQuery } from '../../../src/scorers/words/query.ts';
import { verdictOfAny, withoutTail } from '../../../src/search/find.ts';
import type { MaybePromise } from '../../../src/util/maybe-promise.ts';
import { type Answer, type Contestant, type Rated, RESULTS, SHOWN } from './measure.ts';
import type { LabelledTool } from './sets.ts';

/** What a scorer sees of tools. */
export function documentsOf(tools: readonly LabelledTool[]): readonly ToolDocument[] {
  return tools.map(({ id, description, inputSchema, annotations, server }) => {
    const mcpMetadata = { serverName: server };
    return toolDocument(id, { description, inputSchema, mcp: { annotations }, mcpMetadata }).document;
  });
}

/** A scorer as the processor uses it, without the processor: documents and a parsed query in, all matches out. */
export function ofScorer(scorer: ToolScorer, name: string = scorer.name): Contestant {
  return {
    name,
    async build(tools) {
      const index = await scorer.index(documentsOf(tools));
      return async (text) => {
        const query = parseQuery(text);
        const matches = (await index.search(query)).slice(0, RESULTS);
        const shown = matches.slice(0, SHOWN).map((match) => match.name);
        const confidences = await index.confidence?.(query, shown);
        const found = matches.map((match, rank) => ({ name: match.name, confidence: confidences?.[rank] }));
        return { found, ...(await verdictOf(index, query, matches.slice(0, SHOWN), scorer)) };
      };
    },
  };
}

/** An index that tells what its confidences are made of. */
interface EvidentIndex extends ToolIndex {
  evidence?(query: ToolQuery, names: readonly string[]): MaybePromise<readonly Rated['evidence'][]>;
}

/** The verdict on what a search shows, which has no tail. */
async function verdictOf(
  index: EvidentIndex,
  query: ToolQuery,
  best: readonly ToolMatch[],
  { keepsTail }: ToolScorer,
): Promise<Pick<Answer, 'likelihood' | 'isWeak' | 'rated'>> {
  const shown = keepsTail ? best : withoutTail(best);
  const names = shown.map(({ name }) => name);
  const confidences = await index.confidence?.(query, names);
  if (confidences?.length !== shown.length) return {};
  const evidence = (await index.evidence?.(query, names)) ?? [];
  const rated = evidence.map((pieces, rank) => ({ name: names[rank] ?? '', evidence: pieces }));
  return { ...verdictOfAny(confidences), rated };
}
