import { randomUUID } from 'node:crypto';
import type { AddOptions, LoadedToolStore } from 'mastra-tool-search';
import type { TestContext } from 'vitest';

/** A store under test. It must be empty, and nobody else may use it. */
export interface StoreRig {
  readonly store: LoadedToolStore;
  /** Moves the clock of the store. Without it the tests about time are skipped. */
  readonly advance?: (milliseconds: number) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
}

export const KEEP: AddOptions = { ttl: 0 };
export const MINUTE = 60_000;

type Advance = (milliseconds: number) => Promise<void>;

/** What the parts of the contract are written with. */
export interface Suite {
  readonly it: (title: string, body: (context: TestContext) => Promise<void>) => void;
  /** Skipped where the clock of the store cannot be moved. */
  readonly itWithClock: (title: string, body: (advance: Advance, context: TestContext) => Promise<void>) => void;
  readonly newScope: () => string;
  readonly store: () => LoadedToolStore;
  readonly get: (scope: string) => Promise<readonly string[]>;
  readonly add: (scope: string, names: readonly string[], how?: AddOptions) => Promise<void>;
  readonly clear: (scope: string) => Promise<void>;
}

export function createSuite(it: Suite['it'], rig: () => StoreRig): Suite {
  const store = (): LoadedToolStore => rig().store;
  return {
    it,
    itWithClock: (title, body) =>
      it(title, async (context) => {
        const { advance } = rig();
        if (!advance) return context.skip('the clock of the store cannot be moved');
        await body(async (milliseconds) => advance(milliseconds), context);
      }),
    newScope: () => `scope-${randomUUID()}`,
    store,
    get: async (scope) => store().get(scope),
    add: async (scope, names, how = KEEP) => store().add(scope, names, how),
    clear: async (scope) => store().clear(scope),
  };
}
