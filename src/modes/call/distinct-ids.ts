import { asRecord } from '../../util/record.ts';

/**
 * Gives each call of one answer an id of its own. Where a provider gives two calls the same, Mastra takes the one for the
 * other: it runs a tool with the other's arguments, or one tool twice.
 *
 * @returns changes the parts of an answer, one after the other.
 */
export function distinctIds(): (part: unknown) => unknown {
  const told = new Set<string>();
  /** What the ids of the call that is being told became. */
  const others = new Map<string, string>();
  const other = (id: string): string => {
    const known = others.get(id);
    if (known !== undefined) return known;
    let count = 2;
    while (told.has(`${id}_${count}`)) count += 1;
    others.set(id, `${id}_${count}`);
    return `${id}_${count}`;
  };
  return (part) => {
    const { type, id, toolCallId, providerExecuted } = asRecord(part) ?? {};
    if (providerExecuted === true) return part;
    if (type === 'tool-call' && typeof toolCallId === 'string') {
      const own = told.has(toolCallId) ? other(toolCallId) : toolCallId;
      told.add(own);
      others.delete(toolCallId);
      return own === toolCallId ? part : { ...asRecord(part), toolCallId: own };
    }
    const isInput = typeof type === 'string' && type.startsWith('tool-input-') && typeof id === 'string';
    return isInput && told.has(id) ? { ...asRecord(part), id: other(id) } : part;
  };
}
