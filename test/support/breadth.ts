type Values = Readonly<Record<string, readonly unknown[]>>;
type CaseOf<Of extends Values> = { readonly [Key in keyof Of]: Of[Key][number] };

/** Cases in which every pair of values of two properties occurs, among those that are possible. */
export function pairwise<const Of extends Values>(
  values: Of,
  isPossible: (one: CaseOf<Of>) => boolean = () => true,
): readonly CaseOf<Of>[] {
  const product = productOf(values).filter(isPossible);
  const ids = new Map<unknown, number>();
  const idOf = (value: unknown): number => ids.get(value) ?? (ids.set(value, ids.size).get(value) as number);
  const seen = new Set<string>();
  const chosen = spread(product).filter((one) => {
    const features = Object.entries(one).map(([key, value]) => `${key} ${idOf(value)}`);
    const pairs = features.flatMap((first, at) => features.slice(at + 1).map((second) => `${first} ${second}`));
    const isNew = pairs.some((pair) => !seen.has(pair));
    for (const pair of pairs) seen.add(pair);
    return isNew;
  });
  return product.filter((one) => chosen.includes(one));
}

/** As many cases as the longest property has values. The values of the others take turns, beside others each time. */
export function inTurn<const Of extends Values>(values: Of): readonly CaseOf<Of>[] {
  const [[first, longest], ...others] = Object.entries(values).toSorted(
    (one, two) => two[1].length - one[1].length,
  ) as [[string, readonly unknown[]]];
  const counts = new Map<string, number>();
  const count = (feature: string): number => counts.get(feature) ?? 0;
  return longest.map((value, at) => {
    const one: Record<string, unknown> = { [first]: value };
    const features = [`${first} ${at}`];
    for (const [key, own] of others as [string, readonly unknown[]][]) {
      const used = (place: number): number =>
        1_000 * count(`${key} ${place}`) + features.reduce((sum, other) => sum + count(`${other}, ${key} ${place}`), 0);
      const [place] = [...own.keys()].toSorted((left, right) => used(left) - used(right)) as [number];
      one[key] = own[place];
      const feature = `${key} ${place}`;
      for (const each of [feature, ...features.map((other) => `${other}, ${feature}`)])
        counts.set(each, count(each) + 1);
      features.push(feature);
    }
    return one as CaseOf<Of>;
  });
}

const productOf = <Of extends Values>(values: Of): readonly CaseOf<Of>[] =>
  Object.entries(values).reduce<object[]>(
    (all, [key, own]) => all.flatMap((one) => own.map((value) => ({ ...one, [key]: value }))),
    [{}],
  ) as never;

/** All cases, neighbours far apart: in order, the first value of a property would get all values of the others. */
function spread<Case>(product: readonly Case[]): Case[] {
  const places = product.map((one, at) => ({ one, place: (at * 0.618_033_988_749) % 1 }));
  return places.sort((first, second) => first.place - second.place).map(({ one }) => one);
}
