// What `search.useMessage` does to queries of different quality: npm run bench:use-message -- --sets FOLDER
// The message is the task behind a query, or the query itself where users wrote it.
import { contentWords, splitIdentifier, words } from '../../../src/scorers/words/words.ts';
import { hit, ndcg } from '../../../src/workbench/evaluate/metrics.ts';
import { AgentRequest, mastraTools } from '../agent-request.ts';
import { quietProcessor } from '../processors.ts';
import { optionsOf, percent, table } from '../report.ts';
import { mean } from '../statistics.ts';
import { type LabelledSet, setsIn } from './sets.ts';

const MODES = [false, 'fallback', true] as const;
/** Examples that a model may copy. */
const EXAMPLES = ['github issue', 'send an email', 'weather in Paris'];
const RESULTS = 5;
/** Of each set, taken evenly. */
const MOST_SEARCHES = 200;

const QUALITIES = {
  own: "the label's own query",
  good: 'the first three words of the right description',
  name: 'up to four words of the right name',
  data: 'up to three names and numbers of the message, or else its last words',
  other: 'three words of another message',
  example: 'a copied example',
};
type Quality = keyof typeof QUALITIES;

/** What a model searches for, by the quality of its query. */
function queriesOf(place: number, set: LabelledSet, messages: readonly string[]): Readonly<Record<Quality, string>> {
  const { query, relevant } = set.queries[place]!;
  const message = messages[place]!;
  const right = set.tools.find(({ id }) => id === relevant[place % relevant.length]);
  const name = [...new Set(contentWords(splitIdentifier(right?.id ?? '')))].slice(-4).join(' ');
  const good = [...new Set(contentWords(words(right?.description ?? '')))].slice(0, 3).join(' ') || name;
  const values = message.split(/\s+/).filter((word, at) => (at > 0 && /^\W*\p{Lu}/u.test(word)) || /\d/.test(word));
  const data = (values.length > 0 ? values.slice(-3) : contentWords(words(message)).slice(-2)).join(' ');
  const other = contentWords(words(messages[(place + 7) % messages.length]!)).slice(-3);
  return { own: query, good, name, data, other: other.join(' '), example: EXAMPLES[place % EXAMPLES.length]! };
}

/** The message of each query: its task, which sets of one catalog may share, or itself. */
function messagesOf(set: LabelledSet, sets: readonly LabelledSet[]): readonly string[] {
  const tasks = sets.find(({ name }) => name === 'livemcp-tasks')?.queries ?? [];
  return set.queries.map(({ id, task, query }) => {
    const shared = set.name.startsWith('livemcp-') ? tasks.find((one) => id.startsWith(one.id)) : undefined;
    return task ?? shared?.query ?? query;
  });
}

const sets = setsIn(optionsOf('npm run bench:use-message -- [--sets FOLDER]', { sets: undefined }).sets);
/** hit@5 and nDCG@5 by quality and mode, one for each set. */
const all = new Map<string, (readonly [number, number])[]>();
const cell = (figures: readonly (readonly [number, number])[]): string =>
  ([0, 1] as const).map((which) => percent(mean(figures.map((one) => one[which])))).join(' / ');
const rows: string[][] = [];
for (const set of sets) {
  const messages = messagesOf(set, sets);
  const stride = Math.ceil(set.queries.length / MOST_SEARCHES);
  const chosen = [...set.queries.keys()].filter((place) => place % stride === 0);
  const tools = mastraTools(set.tools);
  for (const quality of Object.keys(QUALITIES) as Quality[]) {
    const cells: string[] = [];
    for (const useMessage of MODES) {
      const processor = quietProcessor({ tools, search: { topK: RESULTS, useMessage } });
      const figures: (readonly [number, number])[] = [];
      for (const place of chosen) {
        const text = messages[place]!;
        const request = new AgentRequest(processor, { text, thread: text });
        const results = await request.search(queriesOf(place, set, messages)[quality]);
        const ranked = results.map(({ name }) => name);
        const { relevant } = set.queries[place]!;
        figures.push([hit(ranked, relevant, RESULTS), ndcg(ranked, relevant, RESULTS)]);
      }
      cells.push(cell(figures));
      const key = `${quality} ${useMessage}`;
      all.set(key, [
        ...(all.get(key) ?? []),
        [mean(figures.map(([hits]) => hits)), mean(figures.map(([, gain]) => gain))],
      ]);
    }
    rows.push([set.name, `${chosen.length}`, quality, ...cells]);
  }
}
for (const quality of Object.keys(QUALITIES)) {
  rows.push(['mean', '', quality, ...MODES.map((mode) => cell(all.get(`${quality} ${mode}`) ?? []))]);
}
console.log(
  `hit@5 / nDCG@5, percent\n\n${table([['set', 'searches', 'query', 'false', "'fallback'", 'true'], ...rows])}\n`,
);
for (const [quality, what] of Object.entries(QUALITIES)) console.log(`${quality}: ${what}`);
