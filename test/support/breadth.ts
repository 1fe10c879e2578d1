/**
 * The cases of a product in which every value of every property occurs, or, for `'pairs'`, every pair of values of two
 * properties: the same ones in each run.
 */
export function part<Case extends object>(product: readonly Case[], covers: 'values' | 'pairs'): readonly Case[] {
  const ids = new Map<unknown, number>();
  const idOf = (value: unknown): number => ids.get(value) ?? (ids.set(value, ids.size).get(value) as number);
  const seen = new Set<string>();
  const chosen = spread(product).filter((one) => {
    const values = Object.entries(one).map(([key, value]) => `${key} ${idOf(value)}`);
    const pairs = values.flatMap((first, at) => values.slice(at + 1).map((second) => `${first} ${second}`));
    const found = covers === 'values' ? values : pairs;
    const isNew = found.some((feature) => !seen.has(feature));
    for (const feature of found) seen.add(feature);
    return isNew;
  });
  return product.filter((one) => chosen.includes(one));
}

/** Cases in which every pair of values of two properties occurs, among those that are possible. */
export function pairwise<const Values extends Readonly<Record<string, readonly unknown[]>>>(
  values: Values,
  isPossible: (one: { readonly [Key in keyof Values]: Values[Key][number] }) => boolean = () => true,
): readonly { readonly [Key in keyof Values]: Values[Key][number] }[] {
  const product = Object.entries(values).reduce<object[]>(
    (all, [key, own]) => all.flatMap((one) => own.map((value) => ({ ...one, [key]: value }))),
    [{}],
  );
  return part(
    product.filter((one) => isPossible(one as never)),
    'pairs',
  ) as never;
}

/** All cases, neighbours far apart: in order, the first value of a property would get all values of the others. */
function spread<Case>(product: readonly Case[]): Case[] {
  const places = product.map((one, at) => ({ one, place: (at * 0.618_033_988_749) % 1 }));
  return places.sort((first, second) => first.place - second.place).map(({ one }) => one);
}
