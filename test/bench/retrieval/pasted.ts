import type { LabelledQuery, LabelledSet } from './sets.ts';

/** Messages of some sixty words around a request: dates, names, numbers, politeness. None of it asks for a tool. */
const MESSAGES: readonly ((request: string) => string)[] = [
  (request) =>
    `Hi there! Hope you had a great weekend. As I told Maria Lopez on Tuesday, 14 March, the review for Northwind Traders was moved to 10:30 because the finance people wanted more time with their numbers. Could you please ${request}? If anything is unclear, just let me know, or write to maria.lopez@northwind.example. Many thanks and best regards, Jonas`,
  (request) =>
    `ok so here's the situation: my colleague Tom is on vacation until Friday and nobody else knows how this works. The ticket number is 48213 and the customer (Acme Corp., contract 2024-778) already complained twice. Please ${request} and tell me when you are done. I will be in a meeting until noon, so don't call me at +1 555 010 4477.`,
  (request) =>
    `For background: we moved offices in July, the new address is 221B Baker Street, and half of the boxes are still not unpacked. Since then everything has been a bit chaotic, files are missing and the calendar is a mess. I'd like to ${request}, ideally today. My manager (Karen) will check tomorrow at 8:15 whether it worked, so please double check and keep the answer short.`,
  (request) =>
    `${request}. Context: this is for the spring campaign with Globex, budget 12,500 USD, which Sarah Kim approved in January. There were some mistakes last time, people were not happy with how long it took, and I would like to avoid that. See also https://intranet.example/projects/globex/spring for the background.`,
];

/**
 * The set with each query inside a pasted message, which differs from query to query; and, where it knows the tasks
 * behind its queries, the set with these tasks in their place.
 */
export function pastedSets(set: LabelledSet): readonly LabelledSet[] {
  const named = (queries: readonly LabelledQuery[], how: string): LabelledSet => ({
    name: `${set.name} ${how}`,
    tools: set.tools,
    queries,
  });
  const pasted = set.queries.map((query, position) => ({
    ...query,
    query: MESSAGES[position % MESSAGES.length]?.(query.query) ?? query.query,
  }));
  const tasks = set.queries.flatMap((query) => (query.task === undefined ? [] : [{ ...query, query: query.task }]));
  return [named(pasted, 'pasted'), ...(tasks.length > 0 ? [named(tasks, 'by task')] : [])];
}
