import { afterAll, beforeAll, expect } from 'vitest';

/** The objects from which the others inherit. */
const PROTOTYPES: Readonly<Record<string, object>> = {
  Object: Object.prototype,
  Array: Array.prototype,
  Function: Function.prototype,
  Map: Map.prototype,
};

/** What each prototype has of its own, with what it is. */
export function prototypeFields(): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(PROTOTYPES).flatMap(([name, prototype]) =>
      Reflect.ownKeys(prototype).map((key) => {
        const { value, get, set } = Object.getOwnPropertyDescriptor(prototype, key) ?? {};
        return [`${name}.prototype.${String(key)}`, value ?? get ?? set] as const;
      }),
    ),
  );
}

/** The fields of prototypes that were added, changed or removed since. */
export function prototypeChanges(before: ReadonlyMap<string, unknown>): string[] {
  const now = prototypeFields();
  return [...new Set([...before.keys(), ...now.keys()])].filter(
    (name) => before.has(name) !== now.has(name) || before.get(name) !== now.get(name),
  );
}

/** Fails a suite whose tests leave something on the prototype of all objects: names come from outside. */
export function leavesPrototypesClean(): void {
  let before: ReadonlyMap<string, unknown> = new Map();
  beforeAll(() => {
    before = prototypeFields();
  });
  afterAll(() => {
    expect(prototypeChanges(before)).toEqual([]);
  });
}
