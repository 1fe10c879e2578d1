import {
  type AnthropicBlock,
  anthropicStep,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  hostedSearch,
  type Listening,
  listen,
  message,
  type OpenAIItem,
  openaiStep,
  serverSearch,
  text,
  toolSearchCall,
  toolUse,
} from '../../test/native/fakes/fake-provider.ts';

/** A service on this machine, and what a provider's package needs to call it. */
export interface FakeService extends Listening {
  readonly settings: { readonly baseURL: string; readonly apiKey: string };
}

const WEATHER = { city: 'Bern' };
const ANSWER = 'Sunny, 21 °C.';

async function served(fake: Parameters<typeof listen>[0]): Promise<FakeService> {
  const listening = await listen(fake);
  return { ...listening, settings: { baseURL: `${listening.url}/v1`, apiKey: 'none' } };
}

/** Searches for the weather, by whichever tool it is given, calls what it finds, and answers. */
export function listenAsAnthropic(): Promise<FakeService> {
  const answer = (step: number, isHosted: boolean, index: number): readonly AnthropicBlock[] => {
    if (step === 0 && !isHosted) return [toolUse(`${index}s`, 'search_tools', { query: 'weather' })];
    if (step === 0) return [...serverSearch(index, ['get_weather'], 'weather'), toolUse(index, 'get_weather', WEATHER)];
    if (step === 1 && !isHosted) return [toolUse(index, 'get_weather', WEATHER)];
    return [text(ANSWER)];
  };
  return served(
    fakeAnthropic(({ body, index }) => {
      const isHosted = body.tools?.some((tool) => tool.type?.startsWith('tool_search_tool')) === true;
      return { content: answer(anthropicStep(body), isHosted, index) };
    }),
  );
}

/** The same, as OpenAI. */
export function listenAsOpenAI(): Promise<FakeService> {
  return served(
    fakeOpenAI(({ body, index }) => {
      const step = openaiStep(body);
      const isHosted = !body.tools?.some((tool) => tool.type === 'tool_search' && tool.execution === 'client');
      const items = (): readonly OpenAIItem[] => {
        if (step === 0 && !isHosted)
          return [toolSearchCall({ id: index, callId: `s${index}`, args: { query: 'weather' } })];
        if (step === 0)
          return [...hostedSearch(index, body, ['get_weather']), functionCall(index, 'get_weather', WEATHER)];
        if (step === 1 && !isHosted) return [functionCall(index, 'get_weather', WEATHER)];
        return [message(index, ANSWER)];
      };
      return { content: items() };
    }),
  );
}
