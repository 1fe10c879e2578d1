// What `search.useMessage` does to queries of different quality: npm run bench:use-message -- --sets FOLDER
// The message is the task behind a query, or the query itself where users wrote it.
import { parseArgs } from 'node:util';
import { contentWords, splitIdentifier, words } from '../../../src/scorers/words/words.ts';
import { hit, ndcg } from '../../../src/workbench/evaluate/metrics.ts';
import { AgentRequest, mastraTools } from '../agent-request.ts';
import { quietProcessor } from '../processors.ts';
import { mean } from '../statistics.ts';
import { textTable } from '../table.ts';
import { type LabelledQuery, type LabelledSet, setsIn } from './sets.ts';

const MODES = [false, 'fallback', true] as const;
/** Examples that a model may copy. */
const EXAMPLES = ['github issue', 'send an email', 'weather in Paris'];
const RESULTS = 5;
/** Of each set, taken evenly. */
const MOST_SEARCHES = 200;

/** One search: what the user wrote, and what the model searches for. */
interface Sample {
  readonly message: string;
  readonly query: string;
  readonly relevant: readonly string[];
}

type Quality = 'own' | 'good' | 'name' | 'data' | 'other' | 'example';
const QUALITIES: Readonly<Record<Quality, string>> = {
  own: "the label's own query",
  good: 'the first three words of the right description',
  name: 'up to four words of the right name',
  data: 'up to three names and numbers of the message, or else its last words',
  other: 'three words of another message',
  example: 'a copied example',
};

function sampleOf(quality: Quality, place: number, set: LabelledSet, messages: readonly string[]): Sample {
  const { query, relevant } = set.queries[place] as LabelledQuery;
  const message = messages[place] ?? query;
  const right = set.tools.find(({ id }) => id === relevant[place % relevant.length]);
  const name = [...new Set(contentWords(splitIdentifier(right?.id ?? '')))].slice(-4).join(' ');
  const good = [...new Set(contentWords(words(right?.description ?? '')))].slice(0, 3).join(' ') || name;
  const values = message.split(/\s+/).filter((word, at) => (at > 0 && /^\W*\p{Lu}/u.test(word)) || /\d/.test(word));
  const data = (values.length > 0 ? values.slice(-3) : contentWords(words(message)).slice(-2)).join(' ');
  const other = contentWords(words(messages[(place + 7) % messages.length] ?? ''))
    .slice(-3)
    .join(' ');
  const example = EXAMPLES[place % EXAMPLES.length] ?? '';
  return { message, relevant, query: { own: query, good, name, data, other, example }[quality] };
}

/** The message of each query: its task, which sets of one catalog may share, or itself. */
function messagesOf(set: LabelledSet, sets: readonly LabelledSet[]): readonly string[] {
  const tasks = sets.find(({ name }) => name === 'livemcp-tasks')?.queries ?? [];
  return set.queries.map(({ id, task, query }) => {
    const shared = set.name.startsWith('livemcp-') ? tasks.find((one) => id.startsWith(one.id)) : undefined;
    return task ?? shared?.query ?? query;
  });
}

const { values } = parseArgs({ options: { sets: { type: 'string' } } });
const sets = setsIn(values.sets);
/** Figures of one quality and one mode, over the sets. */
const all = new Map<string, { readonly hits: number; readonly gain: number }[]>();
const told = (hits: number, gain: number): string => `${(100 * hits).toFixed(1)} / ${(100 * gain).toFixed(1)}`;
const rows: string[][] = [];
for (const set of sets) {
  const messages = messagesOf(set, sets);
  const stride = Math.max(1, Math.ceil(set.queries.length / MOST_SEARCHES));
  const chosen = [...set.queries.keys()].filter((place) => place % stride === 0);
  const tools = mastraTools(set.tools);
  for (const quality of Object.keys(QUALITIES) as Quality[]) {
    const cells: string[] = [];
    for (const useMessage of MODES) {
      const processor = quietProcessor({ tools, search: { topK: RESULTS, useMessage } });
      let hits = 0;
      let gain = 0;
      for (const place of chosen) {
        const sample = sampleOf(quality, place, set, messages);
        const results = await new AgentRequest(processor, { text: sample.message, thread: sample.message }).search(
          sample.query,
        );
        const ranked = results.map(({ name }) => name);
        hits += hit(ranked, sample.relevant, RESULTS);
        gain += ndcg(ranked, sample.relevant, RESULTS);
      }
      const figures = { hits: hits / chosen.length, gain: gain / chosen.length };
      cells.push(told(figures.hits, figures.gain));
      const key = `${quality} ${useMessage}`;
      all.set(key, [...(all.get(key) ?? []), figures]);
    }
    rows.push([set.name, `${chosen.length}`, quality, ...cells]);
  }
}
for (const quality of Object.keys(QUALITIES)) {
  const cells = MODES.map((mode) => {
    const figures = all.get(`${quality} ${mode}`) ?? [];
    return told(mean(figures.map(({ hits }) => hits)), mean(figures.map(({ gain }) => gain)));
  });
  rows.push(['mean', '', quality, ...cells]);
}
console.log('hit@5 / nDCG@5, percent\n');
console.log(textTable([['set', 'searches', 'query', 'false', "'fallback'", 'true'], ...rows]));
console.log();
for (const [quality, what] of Object.entries(QUALITIES)) console.log(`${quality}: ${what}`);
