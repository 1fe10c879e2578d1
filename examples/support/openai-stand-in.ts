// Stands in for OpenAI where there is no OPENAI_API_KEY, so that the quick start and docs/getting-started.md run just as
// they are shown: node --import ./examples/support/openai-stand-in.ts examples/quick-start.ts
import { fakeOpenAI, functionCall, message, openaiStep } from '../../test/native/fakes/fake-provider.ts';

type Call = readonly [name: string, input: object];

/** What the model does, by what the user asks: its calls, one in a step, then its answer. */
const plays: Readonly<Record<string, { readonly calls: readonly Call[]; readonly answer: string }>> = {
  'How is the weather in Bern?': {
    calls: [
      ['search_tools', { query: 'weather' }],
      ['load_tool', { toolName: 'get_weather' }],
      ['get_weather', { city: 'Bern' }],
    ],
    answer: 'It is sunny in Bern, 21 °C.',
  },
  'Write "Tea at four." into the file tea.txt.': {
    calls: [
      ['search_tools', { query: 'write a file' }],
      ['load_tool', { toolName: 'files_write_file' }],
      ['files_write_file', { path: 'tea.txt', content: 'Tea at four.' }],
    ],
    answer: 'It is written.',
  },
  'Write "Tea at five." there instead.': {
    calls: [['files_write_file', { path: 'tea.txt', content: 'Tea at five.' }]],
    answer: 'Changed.',
  },
  'Write "Coffee!" into the file tea.txt.': {
    calls: [['search_tools', { query: 'write a file' }]],
    answer: 'I have no tool that writes files.',
  },
  'Note that Ada likes tea.': {
    calls: [
      ['search_tools', { query: 'create a note about a person' }],
      ['load_tool', { toolName: 'notes_create_entities' }],
      ['notes_create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] }],
    ],
    answer: 'Noted.',
  },
};

if (!process.env['OPENAI_API_KEY']) {
  const { fetch } = globalThis;
  const openai = fakeOpenAI(({ body, index }) => {
    const asked = JSON.stringify(body.input?.findLast((item) => (item as { role?: unknown }).role === 'user'));
    const [, play] =
      Object.entries(plays).find(([question]) => asked.includes(JSON.stringify(question).slice(1, -1))) ?? [];
    if (!play) throw new Error(`openai-stand-in.ts has no play for ${asked}`);
    const call = play.calls[openaiStep(body)];
    return { content: [call ? functionCall(index, ...call) : message(index, play.answer)] };
  });
  process.env['OPENAI_API_KEY'] = 'none';
  globalThis.fetch = (url, init) =>
    String(url).startsWith('https://api.openai.com/') ? openai.fetch(url, init) : fetch(url, init);
}
