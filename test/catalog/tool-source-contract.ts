import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import type { SourceCandidate, ToolSource } from 'mastra-tool-search';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLazyTool } from '../../src/catalog/lazy-tools.ts';
import { isTool } from '../../src/catalog/tool.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import type { MaybePromise } from '../../src/util/maybe-promise.ts';
import { anyText } from '../support/any-text.ts';
import { leavesPrototypesClean } from '../support/clean-prototypes.ts';
import type { SourceTool } from '../support/memory-source.ts';
import { hostileNames, hostileTexts, officeTools, otherTools } from './tool-source-tools.ts';

/** A source under test, which nobody else fills. */
export interface SourceRig {
  readonly source: ToolSource;
  /** Gives a tenant these tools, and no others. A source without tenants is filled for the tenant ''. */
  readonly fill: (tools: Readonly<Record<string, SourceTool>>, tenant: string) => MaybePromise<void>;
  /** Brings a tenant into the context of a request, as the source reads it. Left out, the source has no tenants. */
  readonly enter?: (requestContext: RequestContext, tenant: string) => void;
  readonly close?: () => MaybePromise<void>;
}

export interface SourceContractOptions {
  /** Declared deviations: the title of a test and the reason why this source does not pass it. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Whether the source has `list`, which is optional. @default true */
  readonly hasList?: boolean;
  /** Whether it answers `explain` with words. @default true */
  readonly explains?: boolean;
  /** Runs of the property test. @default 50 */
  readonly runs?: number;
}

/** The part of a candidate that no limit changes: how likely it is may be told of the first alone. */
const ranked = ({ name, score }: SourceCandidate) => ({ name, score });

const LIMITS = [1, 2, 3, 5, 8, 20, 100, 1_000];
const QUERIES = ['current weather of a city', 'send an email', 'issue', 'create a calendar event', 'files', 'city'];

/**
 * What a `ToolSource` has to do: this suite is the definition of the interface. Run it on yours:
 *
 *     describeToolSource('my source', async () => ({ source, fill: (tools, tenant) => …, enter: (context, tenant) => … }));
 */
export function describeToolSource(
  name: string,
  make: () => MaybePromise<SourceRig>,
  options: SourceContractOptions = {},
): void {
  const { skip = {}, hasList = true, explains = true, runs = 20 } = options;
  const titles = new Set<string>();

  describe(`${name} is a ToolSource: it`, () => {
    leavesPrototypesClean();
    let rig: SourceRig;
    beforeAll(async () => {
      rig = await make();
      await rig.fill(officeTools, rig.enter ? 'office' : '');
      if (rig.enter) await rig.fill(otherTools, 'other');
    });
    afterAll(() => rig?.close?.());

    const it = (title: string, body: () => Promise<void>): void => {
      titles.add(title);
      const reason = skip[title];
      if (reason === undefined) test(title, body);
      // A deviation that is none any more has to be taken back.
      else test.fails(`${title} (does not hold: ${reason})`, body);
    };
    const requestOf = (tenant: string | undefined): { requestContext?: RequestContext } => {
      if (!rig.enter || tenant === undefined) return {};
      const requestContext = new RequestContext();
      rig.enter(requestContext, tenant);
      return { requestContext };
    };
    const search = async (text: string, limit = 10, tenant = 'office'): Promise<readonly SourceCandidate[]> =>
      rig.source.search(parseQuery(text), { ...requestOf(tenant), limit });
    const found = async (text: string, limit = 10, tenant = 'office'): Promise<readonly string[]> =>
      (await search(text, limit, tenant)).map((candidate) => candidate.name);
    const got = async (names: readonly string[], tenant = 'office'): Promise<readonly string[]> =>
      Object.keys(await rig.source.get(names, requestOf(tenant))).sort();

    it('finds what a query is about, best first', async () => {
      expect((await found('current weather of a city'))[0]).toBe('get_weather');
      expect((await found('send an email'))[0]).toBe('send_email');
    });

    it('ranks a tool first that the query names', async () => {
      for (const exact of Object.keys(officeTools)) expect((await found(exact))[0]).toBe(exact);
    });

    it('has scores that do not grow from one to the next', async () => {
      for (const query of QUERIES) {
        const scores = (await search(query, 100)).map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((one, other) => other - one));
      }
    });

    it('tells of each candidate what a result shows', async () => {
      for (const candidate of await search('weather', 100)) {
        const tool = officeTools[candidate.name] as { description?: string; mcpMetadata?: { serverName?: string } };
        expect(candidate.description).toBe(tool.description);
        expect(candidate.group).toBe(tool.mcpMetadata?.serverName);
        expect(Number.isFinite(candidate.score)).toBe(true);
        const { confidence = 0 } = candidate;
        expect(confidence >= 0 && confidence <= 1).toBe(true);
      }
    });

    it('returns each name once', async () => {
      for (const query of QUERIES) {
        const names = await found(query, 1_000);
        expect(names).toEqual([...new Set(names)]);
      }
    });

    it('returns at most as many as are wanted, and with a smaller limit the beginning of what a larger one brings', async () => {
      for (const query of QUERIES) {
        const all = (await search(query, 1_000)).map(ranked);
        for (const limit of LIMITS) expect((await search(query, limit)).map(ranked)).toEqual(all.slice(0, limit));
      }
    });

    it('takes any limit', async () => {
      expect(await found('weather', 0)).toEqual([]);
      expect(await found('weather', Number.MAX_SAFE_INTEGER)).toEqual(await found('weather', 1_000));
    });

    it('leaves out what a required word does not match', async () => {
      expect(await found('+calendar create', 100)).not.toContain('create_issue');
      expect(await found('+calendar create', 100)).toContain('create_calendar_event');
      expect(await found('+xylophone create', 100)).toEqual([]);
    });

    it('finds nothing where no word says anything of a tool', async () => {
      expect(await found('xylophone')).toEqual([]);
    });

    it('answers whatever a query says', async () => {
      for (const text of hostileTexts) {
        const names = await found(text, 1_000);
        expect(names.every((each) => Object.hasOwn(officeTools, each))).toBe(true);
      }
    });

    it('answers any query with the beginning of the same list', async () => {
      await fc.assert(
        fc.asyncProperty(anyText(), fc.integer({ min: 1, max: 20 }), async (text, limit) => {
          const all = await found(`weather ${text}`, 1_000);
          expect(await found(`weather ${text}`, limit)).toEqual(all.slice(0, limit));
        }),
        { numRuns: runs },
      );
    });

    it('brings tools by their exact names, and leaves out what it does not have', async () => {
      expect(await got(['send_email', 'no_such_tool', 'get_weather', 'send_email'])).toEqual([
        'get_weather',
        'send_email',
      ]);
      expect(await got(['SEND_EMAIL', 'send_emai', 'send email', ' send_email', 'send_%', 'send*', ''])).toEqual([]);
      expect(await got([])).toEqual([]);
    });

    it('takes hostile names for names', async () => {
      expect(await got(hostileNames)).toEqual([]);
      expect(await got([...hostileNames, 'constructor'])).toEqual(['constructor']);
      expect(Object.getPrototypeOf(await rig.source.get(['__proto__'], requestOf('office'))) ?? null).toBeOneOf([
        null,
        Object.prototype,
      ]);
    });

    it('brings many tools at once', async () => {
      const unknown = Array.from({ length: 1_000 }, (_, n) => `unknown_${n}`);
      expect(await got([...unknown, ...Object.keys(officeTools)])).toEqual(Object.keys(officeTools).sort());
    });

    it('brings everything that it finds, as tools or stubs of that name', async () => {
      const names = await found('create send get list issue email file', 1_000);
      const tools = await rig.source.get(names, requestOf('office'));
      expect(Object.keys(tools).sort()).toEqual([...names].sort());
      for (const each of names) {
        expect(isTool(tools[each]) || isLazyTool(tools[each])).toBe(true);
        expect((tools[each] as { id: string }).id).toBe(each);
      }
    });

    it('keeps tenants apart', async () => {
      if (!rig.enter) return;
      expect(await found('weather', 100, 'other')).toEqual(['get_weather']);
      expect((await search('weather', 1, 'other'))[0]?.description).toBe(
        (otherTools['get_weather'] as { description: string }).description,
      );
      expect(await found('email', 100, 'other')).toEqual([]);
      expect(await got(Object.keys(officeTools), 'other')).toEqual(['get_weather']);
      expect(await found('secret ledger', 100, 'office')).toEqual([]);
      expect(await got(['read_secret_ledger'], 'office')).toEqual([]);
      const { get_weather: theirs } = await rig.source.get(['get_weather'], requestOf('other'));
      expect((theirs as { description: string }).description).toContain('other');
    });

    it('shows a tenant nothing that it does not know, nor a request that is nobody’s', async () => {
      if (!rig.enter) return;
      for (const tenant of ['nobody', 'offic', 'OFFICE', 'office ', '%', "office' OR '1'='1", '__proto__', '🏢']) {
        expect(await found('weather', 100, tenant)).toEqual([]);
        expect(await got(Object.keys(officeTools), tenant)).toEqual([]);
      }
      const nobody = async () => (await rig.source.search(parseQuery('weather'), { limit: 10 })).length;
      // It may fail as well, but not find.
      expect(await nobody().catch(() => 0)).toBe(0);
    });

    it('answers many at once as it does one by one', async () => {
      const tenants = rig.enter ? ['office', 'other', 'nobody'] : ['office'];
      const asked = Array.from({ length: 60 }, (_, n) => ({
        query: QUERIES[n % QUERIES.length]!,
        tenant: tenants[n % tenants.length]!,
      }));
      const oneByOne: (readonly SourceCandidate[])[] = [];
      for (const { query, tenant } of asked) oneByOne.push(await search(query, 5, tenant));
      expect(await Promise.all(asked.map(({ query, tenant }) => search(query, 5, tenant)))).toEqual(oneByOne);
    });

    it('gives answers away: what becomes of them changes no other', async () => {
      const before = structuredClone(await search('weather', 5));
      for (const candidate of (await search('weather', 5)) as readonly { name: string; score: number }[]) {
        if (Object.isFrozen(candidate)) continue;
        candidate.name = 'changed';
        candidate.score = -1;
      }
      const first = await search('weather', 5);
      if (!Object.isFrozen(first)) (first as SourceCandidate[]).length = 0;
      expect(await search('weather', 5)).toEqual(before);
      const tools = (await rig.source.get(['send_email'], requestOf('office'))) as Record<string, unknown>;
      if (!Object.isFrozen(tools)) delete tools['send_email'];
      expect(await got(['send_email'])).toEqual(['send_email']);
    });

    it('changes nothing of what it is asked', async () => {
      const query = parseQuery('+weather city');
      const copy = structuredClone(query);
      const names = Object.freeze(['send_email']);
      await rig.source.search(Object.freeze(query), Object.freeze({ ...requestOf('office'), limit: 5 }));
      await rig.source.get(names, Object.freeze(requestOf('office')));
      expect(query).toEqual(copy);
    });

    it('ends, one way or the other, where it is aborted, and goes on with the next', async () => {
      const ended = async (signal: AbortSignal): Promise<void> => {
        const request = { ...requestOf('office'), abortSignal: signal };
        await Promise.allSettled([
          (async () => rig.source.search(parseQuery('weather'), { ...request, limit: 5 }))(),
          (async () => rig.source.get(['send_email'], request))(),
        ]);
      };
      await ended(AbortSignal.abort());
      const controller = new AbortController();
      const ending = ended(controller.signal);
      controller.abort();
      await ending;
      expect(await found('weather', 1)).toEqual(['get_weather']);
    });

    if (explains) {
      it('says why, where it is asked to', async () => {
        const [best] = await rig.source.search(parseQuery('weather city'), {
          ...requestOf('office'),
          limit: 1,
          explain: true,
        });
        const words = best?.words?.map(({ word }) => word) ?? [];
        expect(words).toEqual(expect.arrayContaining(['weather', 'city']));
        expect(best?.words?.some(({ found: word = '', score = 0 }) => word !== '' && score > 0)).toBe(true);
      });
    }

    it(`${hasList ? 'has' : 'does without'} list()`, async () => {
      expect(typeof rig.source.list).toBe(hasList ? 'function' : 'undefined');
    });

    if (hasList) {
      const listed = async (of: { prefix: string } | { group: string }, limit = 100, tenant = 'office') => {
        const candidates = (await rig.source.list?.(of, { ...requestOf(tenant), limit })) ?? [];
        return candidates.map((candidate) => candidate.name);
      };

      it('lists the tools whose names begin so', async () => {
        expect((await listed({ prefix: 'github_' })).sort()).toEqual(['github_close_issue', 'github_create_issue']);
        expect(await listed({ prefix: 'no_such_' })).toEqual([]);
        for (const prefix of ['%', 'g%', 'github%', 'githubX', '\\', 'GITHUB_', "' OR 1=1 --", '__proto__']) {
          expect(await listed({ prefix })).toEqual([]);
        }
        // An underscore stands for itself.
        expect(await listed({ prefix: 'get_' })).toEqual(['get_weather']);
      });

      it('lists the tools of a group, however it is written', async () => {
        const mail = ['read_inbox', 'send_email'];
        for (const group of ['mail', 'MAIL', 'Mail']) expect((await listed({ group })).sort()).toEqual(mail);
        for (const group of ['mai', '%', '', 'mail ', '__proto__']) expect(await listed({ group })).toEqual([]);
      });

      it('lists at most as many as are wanted, always in one order', async () => {
        const all = await listed({ prefix: 'c' });
        expect(all.length).toBeGreaterThan(2);
        for (const limit of [0, 1, 2, 100]) expect(await listed({ prefix: 'c' }, limit)).toEqual(all.slice(0, limit));
      });

      it('lists nothing of another tenant', async () => {
        if (!rig.enter) return;
        expect(await listed({ prefix: 'github_' }, 100, 'other')).toEqual([]);
        expect(await listed({ group: 'mail' }, 100, 'nobody')).toEqual([]);
      });
    }

    it('has what it was filled with last, and nothing else', async () => {
      const { send_email, get_weather, ...rest } = officeTools;
      const tenant = rig.enter ? 'office' : '';
      const changed = { ...get_weather!, description: 'Forecast of the monsoon.' } as SourceTool;
      await rig.fill({ ...rest, get_weather: changed }, tenant);
      try {
        expect(await got(['send_email', 'get_weather'])).toEqual(['get_weather']);
        expect(await found('send_email')).not.toContain('send_email');
        expect((await found('monsoon'))[0]).toBe('get_weather');
        await rig.fill({}, tenant);
        expect(await found('weather')).toEqual([]);
        expect(await got(Object.keys(officeTools))).toEqual([]);
      } finally {
        await rig.fill(officeTools, tenant);
      }
      expect((await found('send an email'))[0]).toBe('send_email');
    });

    test('is told of no deviation that is no test', () => {
      expect(Object.keys(skip).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
