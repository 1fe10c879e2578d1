import { asRecord } from '../../kit.ts';

/** What a model wrote: lists by names of tools. Nobody vouches for either. */
export type WrittenKeywords = ReadonlyMap<string, readonly unknown[]>;

/**
 * Reads a model's answer: an object, or a text that has one, with words around it or not.
 *
 * @throws Error for what is no such answer.
 */
export function readAnswer(answer: unknown): WrittenKeywords {
  const value = typeof answer === 'string' ? parsed(answer) : answer;
  const fields = asRecord(value);
  const list = Array.isArray(value) ? value : fields?.['tools'];
  const written = new Map<string, readonly unknown[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const { name, keywords } = asRecord(item) ?? {};
    if (typeof name === 'string' && Array.isArray(keywords)) written.set(name, keywords);
  }
  if (Array.isArray(list)) return written;
  // Some models answer with lists by names, without the list around them.
  for (const [name, keywords] of Object.entries(fields ?? {})) if (Array.isArray(keywords)) written.set(name, keywords);
  if (written.size === 0) throw new Error('the answer is no JSON of tools and keywords');
  return written;
}

function parsed(text: string): unknown {
  const starts = [text.indexOf('{'), text.indexOf('[')].filter((at) => at >= 0);
  const start = Math.min(...starts);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  try {
    return JSON.parse(text.slice(Number.isFinite(start) ? start : 0, end + 1));
  } catch {
    throw new Error('the answer is no JSON of tools and keywords');
  }
}
