// What `search.useMessage` does to queries of different quality: npm run bench:use-message -- --sets FOLDER
// The message is the task behind a query, or the query itself where users wrote it.
import { contentWords, splitIdentifier, words } from '../../../src/util/words.ts';
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
  own: "the label's own",
  good: 'the first three words of the right description',
  name: 'up to four words of the right name',
  data: 'names and numbers of the message',
  other: 'three words of another message',
  example: 'a copied example',
};
type Quality = keyof typeof QUALITIES;
/** Queries that say what is wanted: these lose where the message is about something else. */
const CLEAR: readonly Quality[] = ['own', 'good', 'name'];

/** What a model searches for, by the quality of its query. */
function queriesOf(place: number, set: LabelledSet, messages: readonly string[]): Readonly<Record<Quality, string>> {
  const { query, relevant } = set.queries[place]!;
  const message = messages[place]!;
  const right = set.tools.find(({ id }) => id === relevant[place % relevant.length]);
  const name = [...new Set(contentWords(splitIdentifier(right?.id ?? '')))].slice(-4).join(' ');
  const good = [...new Set(contentWords(words(right?.description ?? '')))].slice(0, 3).join(' ') || name;
  const values = message.split(/\s+/).filter((word, at) => (at > 0 && /^\W*\p{Lu}/u.test(word)) || /\d/.test(word));
  // Up to three, or else the last words.
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
const catalogs = sets.map((set) => ({ set, messages: messagesOf(set, sets), tools: mastraTools(set.tools) }));
const rows: string[][] = [];
const asked = (Object.keys(QUALITIES) as Quality[]).map((quality) => ({ quality, isOther: false }));
for (const { quality, isOther } of [...asked, ...CLEAR.map((each) => ({ quality: each, isOther: true }))]) {
  const cells: string[] = [];
  for (const useMessage of MODES) {
    /** Of each set, hit@5 and nDCG@5. */
    const figures: { hits: number; gain: number }[] = [];
    for (const { set, messages, tools } of catalogs) {
      const processor = quietProcessor({ tools, search: { topK: RESULTS, useMessage } });
      const stride = Math.ceil(set.queries.length / MOST_SEARCHES);
      const hits: number[] = [];
      const gains: number[] = [];
      for (let place = 0; place < set.queries.length; place += stride) {
        const text = messages[isOther ? (place + 11) % messages.length : place]!;
        const request = new AgentRequest(processor, { text, thread: text });
        const results = await request.search(queriesOf(place, set, messages)[quality]);
        const ranked = results.map(({ name }) => name);
        hits.push(hit(ranked, set.queries[place]!.relevant, RESULTS));
        gains.push(ndcg(ranked, set.queries[place]!.relevant, RESULTS));
      }
      figures.push({ hits: mean(hits), gain: mean(gains) });
    }
    const means = [mean(figures.map(({ hits }) => hits)), mean(figures.map(({ gain }) => gain))];
    cells.push(means.map(percent).join(' / '));
  }
  rows.push([`${QUALITIES[quality]}${isOther ? '; the message is about something else' : ''}`, ...cells]);
}
console.log('hit@5 / nDCG@5, percent, the mean of the sets\n');
console.log(table([["the model's query", 'false', "'fallback'", 'true'], ...rows]));
