import fc from 'fast-check';
import type { ToolDocument } from '../../src/scorers/document.ts';
import { document } from '../fixtures/tools.ts';

/** What makes one catalog of another. */
export interface Change {
  readonly added: readonly ToolDocument[];
  readonly removed: readonly string[];
}

/** A catalog, then what it becomes, one after the other. */
export type History = readonly (readonly ToolDocument[])[];

/** Some are one name in two spellings, some have words in other forms. */
const NAMES = `read_heron readHeron send_email sendEmail translate_text text_translations web_hook webhook_list pelican
  pelican_feeder list_birds get_weather weather_map_heron constructor gitHubMail toString parcel_status bird`.split(
  /\s+/,
);

/** Three to twelve tools have each of them. */
const SHARED = ['Ask the user for consent first.', 'Costs a credit of the plan.', 'Reads a bird.'];
/** Few tools have each, so that words come, in many forms, and go with their last tool. */
const OWN = [
  '',
  'Translating of a text.',
  'Translates what pelicans translate.',
  'Feeds the pelican, pelican and penguin.',
  'Forecast for the kubernetes cluster.',
  '查询快递包裹的物流状态。',
  'Sends mail and emails.',
  'Opens a pull request on GitHub.',
  'heron '.repeat(17),
];
const PARAMETERS: readonly (readonly [string, string, ...string[]])[] = [
  ['cityName', 'Name of the city', 'Rome', 'Oslo'],
  ['id', 'Of the pelikan'],
  ['text_language', ''],
];

export const QUERIES: readonly string[] = `read heron; sendEmail; send_email; translate text; translation;
  translated texts; pelicans; pelic; pelicna; penguni; kubernets forecast; web hook; webhook list; consent of the user;
  credit plan; reads a bird; 快递; +pelican feed; +weather map; fetch pr; stork mail; city in Oslo; constructor;
  github mail`.split(/;\s+/);

const entry = fc.record({
  shared: fc.tuple(...SHARED.map(() => fc.boolean())),
  own: fc.constantFrom(...OWN),
  title: fc.constantFrom('', '', 'Bird reader', 'DeepL translator'),
  server: fc.constantFrom('', '', 'github', 'aviary'),
  instructions: fc.constantFrom(undefined, undefined, 'Feeds herons and storks.', 'Translate before you mail.'),
  keywords: fc.subarray(['moan', 'bird watching', 'translated']),
  parameters: fc.subarray([...PARAMETERS]),
});

function documentOf(name: string, { shared, own, ...more }: typeof entry extends fc.Arbitrary<infer T> ? T : never) {
  const said = SHARED.filter((_, position) => shared[position]);
  return document(name, [own, ...said].join('\n'), more);
}

/** Tools that come or are replaced, and tools that go. */
const step = fc.record({
  set: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), entry), { maxLength: 6, selector: ([name]) => name }),
  gone: fc.subarray(NAMES, { maxLength: 6 }),
});

/** Random catalogs and sequences of changes. */
export const histories: fc.Arbitrary<History> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), entry), { maxLength: NAMES.length, selector: ([name]) => name }),
    fc.array(step, { minLength: 1, maxLength: 5 }),
  )
  .map(([entries, steps]) => {
    let catalog = new Map(entries.map(([name, content]) => [name, documentOf(name, content)]));
    const first = [...catalog.values()];
    const later = steps.map(({ set, gone }) => {
      catalog = new Map(catalog);
      for (const name of gone) catalog.delete(name);
      for (const [name, content] of set) catalog.set(name, documentOf(name, content));
      return [...catalog.values()];
    });
    return [first, ...later];
  });

/** The same document is taken for itself alone. */
export function changeOf(before: readonly ToolDocument[], after: readonly ToolDocument[]): Change {
  return {
    added: after.filter((entry) => !before.includes(entry)),
    removed: before.filter((entry) => !after.includes(entry)).map(({ name }) => name),
  };
}
