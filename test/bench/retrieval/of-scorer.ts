import { toolDocument } from '../../../src/catalog/read-document.ts';
import type { ToolScorer } from '../../../src/index.ts';
import { parseQuery } from '../../../src/query/query.ts';
import { type Contestant, RESULTS, SHOWN } from './contestant.ts';

/** A scorer as the processor uses it, without the processor: documents and a parsed query in, all matches out. */
export function ofScorer(scorer: ToolScorer, name: string = scorer.name): Contestant {
  return {
    name,
    async build(tools) {
      const documents = tools.map(({ id, description, inputSchema, annotations }) => {
        return toolDocument(id, { description, inputSchema, mcp: { annotations } }).document;
      });
      const index = await scorer.index(documents);
      return async (text) => {
        const query = parseQuery(text);
        const matches = (await index.search(query)).slice(0, RESULTS);
        const shown = matches.slice(0, SHOWN).map((match) => match.name);
        const confidences = await index.confidence?.(query, shown);
        return { found: matches.map((match, rank) => ({ name: match.name, confidence: confidences?.[rank] })) };
      };
    },
  };
}
