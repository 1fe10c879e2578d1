import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDocument } from '../../src/scorers/document.ts';
import type { IncrementalIndex, ToolIndex, ToolMatch, ToolScorer } from '../../src/scorers/scorer.ts';
import { parseQuery, type ToolQuery } from '../../src/scorers/words/query.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { leavesPrototypesClean } from '../support/clean-prototypes.ts';
import { describeParts, describePartsOfChanged, describeRanked, describeUpdates } from './change-contract.ts';

/** Methods that an index may have beyond `search`, and that promise something by themselves. */
const OPTIONAL = ['ranked', 'update', 'restrictedTo'] as const;

export interface ScorerContractOptions {
  /** Which of the optional methods the indexes of this scorer have. Each is tested; another one may not be there. */
  readonly has?: readonly (typeof OPTIONAL)[number][];
  /** How many random catalogs change: few where the index passes changes on to one that is tested by itself. */
  readonly runs?: number;
  /** What this scorer does not promise: the title of the test → the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** Builds an index and asks it once. */
export async function search(
  scorer: ToolScorer,
  documents: readonly ToolDocument[],
  query: string,
): Promise<readonly ToolMatch[]> {
  const index = await scorer.index(documents);
  return index.search(parseQuery(query));
}

export async function namesOf(
  scorer: ToolScorer,
  documents: readonly ToolDocument[],
  query: string,
): Promise<readonly string[]> {
  return (await search(scorer, documents, query)).map(({ name }) => name);
}

/** The names that an index finds. */
export async function ask(index: ToolIndex | undefined, text: string): Promise<readonly string[]> {
  return ((await index?.search(parseQuery(text))) ?? []).map(({ name }) => name);
}

interface Rated {
  readonly query: ToolQuery;
  readonly names: readonly string[];
  readonly confidences: readonly number[];
}

/** The first names that an index finds, with the confidence of each. */
export async function rated(index: ToolIndex, text: string, count = 5): Promise<Rated> {
  const query = parseQuery(text);
  const names = (await index.search(query)).slice(0, count).map(({ name }) => name);
  return { query, names, confidences: (await index.confidence?.(query, names)) ?? [] };
}

const QUERIES =
  `create issue; send a message to the team; weather in Rome; list files in a folder; k8s pods; EUR to USD;
  +github pull request; Überweisung; 快递; shcedule meeting`.split(/;\s+/);

/** Names that a lookup in a plain object would find. */
const HOSTILE_DOCUMENTS: readonly ToolDocument[] = [
  document('__proto__', 'Send mail to the prototype.', { parameters: [['__proto__', '__proto__', '__proto__']] }),
  document('constructor', 'Send mail to the constructor.', { parameters: [['constructor', 'toString', 'valueOf']] }),
  document('toString', ''),
  document('no_words', '!?!'),
  document('empty_mail', '', { parameters: [['', '', '']] }),
  document('long_mail', 'Send mail with many words. '.repeat(4_000)),
  document('one_long_word', 'mail'.repeat(25_000)),
  document('control_mail', 'Send\u0000 \u0007mail\u001b[31m \u202e\ufeff\u200d\r\n\t now'),
  document('surrogate_mail', 'Send \ud800 mail \udfff to \udfff\ud800 somebody \ud83d', { title: '\ud800' }),
  document('emoji_mail', '📧 ✉️ 👩‍👩‍👧 mail'),
  document('x'.repeat(128), 'mail'),
];

const HOSTILE_QUERIES = [
  { why: 'no words', query: '' },
  { why: 'punctuation alone', query: '+ - * ? ! "" () ,;' },
  { why: '10,000 words', query: Array.from({ length: 10_000 }, (_, n) => `word${n}`).join(' ') },
  { why: 'one word 10,000 times', query: 'mail '.repeat(10_000) },
  { why: 'a word of 100,000 letters', query: 'mail'.repeat(25_000) },
  { why: 'characters of regular expressions', query: '.*+?^$ {}()|[]\\ (a+)+$ [z-a] \\u{110000} mail(' },
  { why: 'emoji', query: '📧 ✉️ 👩‍👩‍👧 +📧' },
  { why: 'names out of JavaScript', query: '__proto__ constructor toString valueOf hasOwnProperty' },
  { why: 'the same, required', query: '+__proto__ +constructor' },
  { why: 'control characters', query: 'mail\u0000\u0007\u001b[31m \u202email \ufeff' },
  { why: 'lone surrogates', query: '\ud800 mail\udfff +\ud83d' },
  { why: '1,000 required words', query: '+mail '.repeat(1_000) },
];

const EXACT = 'finds a tool first by its name';
const SPELLING = 'finds a tool first by its name with other separators or in another casing';
const UNRELATED = 'finds nothing that has nothing in common with the query';
const REQUIRED = 'leaves out a tool that a required word does not match at all';

const TITLES = [EXACT, SPELLING, UNRELATED, REQUIRED];

/**
 * What every ToolScorer does, whether it compares words or meanings, at once or by promise. These tests define the
 * interface: a scorer of your own passes them too, or says in `skip` what it does not promise and why.
 */
export function describeScorer(
  name: string,
  create: () => ToolScorer,
  { has = [], runs = 6, skip = {} }: ScorerContractOptions = {},
): void {
  for (const title of Object.keys(skip)) {
    if (!TITLES.includes(title)) throw new Error(`No test that may be skipped is called "${title}".`);
  }
  /** A test that a scorer may declare not to pass. */
  const optional = (title: string, body: () => Promise<void>): void => {
    const reason = skip[title];
    if (reason === undefined) it(title, body);
    // A deviation that is none any more has to be taken back.
    else it.fails(`${title} (does not hold: ${reason})`, body);
  };
  const build = async (documents: readonly ToolDocument[] = catalog): Promise<IncrementalIndex> =>
    create().index(documents);
  const names = (query: string, documents: readonly ToolDocument[] = catalog): Promise<readonly string[]> =>
    namesOf(create(), documents, query);

  describe(`${name}: the contract of a scorer`, () => {
    leavesPrototypesClean();

    it('has a name', () => {
      expect(create().name).toMatch(/\S/);
    });

    it(`has ${has.join(' and ') || 'no method'} beyond what every index has`, async () => {
      const index = await build();
      expect(OPTIONAL.filter((method) => typeof index[method] === 'function')).toEqual(has);
    });

    it.each(QUERIES)('ranks names of the catalog, each once, best first, ties by name, for "%s"', async (query) => {
      const matches = await (await build()).search(parseQuery(query));
      expectRanking(matches, catalog);
    });

    it('finds something for ordinary queries', async () => {
      expect(await names('create issue')).toContain('github_create_issue');
      expect(await names('forecast')).toContain('get-weather-forecast');
    });

    it('finds nothing in an empty catalog', async () => {
      for (const query of ['', 'mail', '+mail', '__proto__']) expect(await names(query, [])).toEqual([]);
    });

    it('finds the only tool of a catalog', async () => {
      const documents = [document('send_email', 'Send an email.')];
      expect(await names('email', documents)).toEqual(['send_email']);
      expect(await names('+email send', documents)).toEqual(['send_email']);
    });

    it('answers a query without words with a ranking, or with nothing', async () => {
      const matches = await (await build()).search({ text: '', keywords: [], required: [] });
      expectRanking(matches, catalog);
    });

    it('finds tools that have no description', async () => {
      expect(await names('restart server')).toContain('restart_server');
    });

    it('lists every match, since limits are the business of the processor', async () => {
      const documents = Array.from({ length: 150 }, (_, n) => document(`email_tool_${n}`, 'Send an email.'));
      expect((await names('email', documents)).length).toBe(150);
    });

    optional(REQUIRED, async () => {
      expect(new Set(await names('+github list'))).toEqual(
        new Set(catalog.filter(({ server }) => server === 'github').map((tool) => tool.name)),
      );
      expect(await names('+github +squash merge')).not.toContain('slack_post_message');
      expect(await names('+qwxzv github')).toEqual([]);
      expect(await names('+github +qwxzv')).toEqual([]);
    });

    optional(UNRELATED, async () => {
      expect(await names('qwxzv')).toEqual([]);
      const documents = [...catalog, document('qwxzv_jkvx', 'Zzkw qqvj xxwz.')];
      for (const query of QUERIES) expect(await names(query, documents)).not.toContain('qwxzv_jkvx');
    });

    it('keeps every match when an unrelated tool joins the catalog', async () => {
      const documents = [document('qwxzv_jkvx', 'Zzkw qqvj xxwz.'), ...catalog];
      for (const query of QUERIES) {
        const after = await names(query, documents);
        for (const match of await names(query)) expect(after).toContain(match);
      }
    });

    it('ranks the same whatever the order of the documents', async () => {
      const expected = await Promise.all(QUERIES.map((query) => names(query)));
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray([...catalog], { minLength: catalog.length }), async (documents) => {
          const index = await build(documents);
          for (const [position, query] of QUERIES.entries()) {
            const matches = await index.search(parseQuery(query));
            expect(matches.map((match) => match.name)).toEqual(expected[position]);
          }
        }),
        { numRuns: 5 },
      );
    });

    it('answers many queries at once as it answers each alone, again and again', async () => {
      const alone = await Promise.all(QUERIES.map((query) => names(query)));
      const index = await build();
      for (let round = 0; round < 3; round++) {
        const together = await Promise.all(QUERIES.map(async (query) => index.search(parseQuery(query))));
        expect(together.map((matches) => matches.map((match) => match.name))).toEqual(alone);
      }
    });

    it('keeps the indexes of two catalogs apart', async () => {
      const scorer = create();
      const first = await scorer.index([document('send_email', 'Send an email.')]);
      const second = await scorer.index([document('read_email', 'Read an email.')]);
      expect((await first.search(parseQuery('email'))).map((match) => match.name)).toEqual(['send_email']);
      expect((await second.search(parseQuery('email'))).map((match) => match.name)).toEqual(['read_email']);
    });

    it('is not disturbed by what a caller does with a result', async () => {
      const index = await build();
      const query: ToolQuery = Object.freeze({ text: 'issue', keywords: Object.freeze(['issue']), required: [] });
      const before = structuredClone(await index.search(query));
      try {
        ((await index.search(query)) as ToolMatch[]).length = 0;
      } catch {
        // A frozen list is as good as a copy.
      }
      expect(await index.search(query)).toEqual(before);
    });

    it('survives hostile documents', async () => {
      const before = JSON.stringify(HOSTILE_DOCUMENTS);
      const index = await build(HOSTILE_DOCUMENTS);
      for (const query of ['send mail', 'constructor', '__proto__', 'toString', '+mail now']) {
        expectRanking(await index.search(parseQuery(query)), HOSTILE_DOCUMENTS);
      }
      expect(JSON.stringify(HOSTILE_DOCUMENTS)).toBe(before);
      expect(({} as Record<string, unknown>)['mail']).toBeUndefined();
    });

    it.each(HOSTILE_QUERIES)('survives a hostile query: $why', async ({ query }) => {
      expectRanking(await (await build()).search(parseQuery(query)), catalog);
      expectRanking(await (await build(HOSTILE_DOCUMENTS)).search(parseQuery(query)), HOSTILE_DOCUMENTS);
    });

    optional(EXACT, async () => {
      const index = await build();
      for (const tool of catalog) {
        const [first] = await index.search(parseQuery(tool.name));
        expect(first?.name).toBe(tool.name);
      }
    });

    optional(SPELLING, async () => {
      const index = await build();
      const wrong: string[] = [];
      for (const tool of catalog) {
        for (const spelling of spellings(tool.name)) {
          const [first] = await index.search(parseQuery(spelling));
          if (first?.name !== tool.name) wrong.push(`${spelling} → ${first?.name}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  });

  if (has.includes('ranked')) describeRanked(name, create);
  if (has.includes('update')) describeUpdates(name, create, runs);
  describeParts(name, create);
  if (has.includes('update')) describePartsOfChanged(name, create, Math.ceil(runs / 2));
}

/** Fails unless the list is what an index may answer for these documents. */
export function expectRanking(matches: readonly ToolMatch[], documents: readonly ToolDocument[]): void {
  const known = new Set(documents.map(({ name }) => name));
  expect(matches.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  expect(new Set(matches.map(({ name }) => name)).size).toBe(matches.length);
  expect(matches.filter(({ score }) => !(Number.isFinite(score) && score > 0))).toEqual([]);
  // Not localeCompare: code unit order is the same on every machine.
  const inOrder = [...matches].sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  expect(matches).toEqual(inOrder);
}

/** `read_file` → READ_FILE, read-file, read file, readFile, Read File. */
function spellings(name: string): string[] {
  const parts = name.split(/[_-]|(?<=[a-z])(?=[A-Z])/);
  const capital = (part: string): string => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase();
  const camel = parts.map((part, position) => (position === 0 ? part.toLowerCase() : capital(part))).join('');
  return [
    parts.join('_').toUpperCase(),
    parts.join('_').toLowerCase(),
    parts.join('-').toLowerCase(),
    parts.join(' ').toLowerCase(),
    parts.map(capital).join(' '),
    parts.join('.'),
    camel,
  ];
}
