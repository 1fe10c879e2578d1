// Stands in for OpenAI where there is no OPENAI_API_KEY, so that the quick start runs just as the README shows it:
// node --import ./examples/support/openai-stand-in.ts examples/quick-start.ts
import { fakeOpenAI, functionCall, message, openaiStep } from '../../test/native/fakes/fake-provider.ts';

const calls = [
  ['search_tools', { query: 'weather' }],
  ['load_tool', { toolName: 'get_weather' }],
  ['get_weather', { city: 'Bern' }],
] as const;

if (!process.env['OPENAI_API_KEY']) {
  const { fetch } = globalThis;
  const openai = fakeOpenAI(({ body, index }) => {
    const [name, input] = calls[openaiStep(body)] ?? [];
    return { content: [name ? functionCall(index, name, input) : message(index, 'It is sunny in Bern, 21 °C.')] };
  });
  process.env['OPENAI_API_KEY'] = 'none';
  globalThis.fetch = (url, init) =>
    String(url).startsWith('https://api.openai.com/') ? openai.fetch(url, init) : fetch(url, init);
}
