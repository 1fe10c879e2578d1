/** Works on the items in their order, so many at once: hundreds would each wait longer than a time limit allows. */
export async function atMost<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item, at);
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}
