// Fake services whose models pursue what the user asks for, with whatever search a request offers.
import {
  type AnthropicBody,
  type FakeAnthropic,
  type FakeError,
  type FakeOpenAI,
  fakeAnthropic,
  fakeOpenAI,
  isChat,
  type OpenAIBody,
  type OpenAIItem,
  type OpenAIRequest,
} from '../fakes/fake-provider.ts';
import { anthropicAnswer, openaiAnswer } from './goal-answers.ts';
import { type Action, nextAction, type Sent } from './goals.ts';
import { anthropicView, chatView, openaiView } from './views.ts';

/** The kinds of models: two with a tool search of their own, and two without. */
export type Kind = 'anthropic' | 'openai' | 'chat' | 'scripted';

/** Answers with an error instead; undefined leaves it to the model. */
export type Interruption = (sent: Sent) => FakeError | undefined;

/** What the model does; undefined leaves it to what the user asks for. */
export type Decision = (sent: Sent) => Action | undefined;

/** A service with such a model. */
export interface Service {
  readonly fake: FakeAnthropic | FakeOpenAI;
  /** What its models read in all requests so far, refused ones included. */
  views(): readonly Sent[];
  bodies(): readonly (AnthropicBody | OpenAIBody)[];
}

export function anthropicService(
  interrupt?: Interruption,
  decide?: Decision,
): Service & { readonly fake: FakeAnthropic } {
  const fake = fakeAnthropic(
    ({ body, index }) => {
      const sent = anthropicView(body, index);
      const error = interrupt?.(sent);
      if (error) return error;
      const action = decide?.(sent) ?? nextAction(sent);
      return { ...action, content: anthropicAnswer(action, sent) };
    },
    { thinks: true },
  );
  return {
    fake,
    views: () => fake.requests.map(({ body, index }) => anthropicView(body, index)),
    bodies: () => fake.requests.map(({ body }) => body),
  };
}

/** OpenAI's Responses, and its Chat Completions, which have no tool search. */
export function openaiService(interrupt?: Interruption, decide?: Decision): Service & { readonly fake: FakeOpenAI } {
  /** What the service answered, and keeps: a request may refer to it by its id. */
  const items = new Map<string, OpenAIItem>();
  const read = (request: OpenAIRequest): Sent =>
    isChat(request) ? chatView(request.body, request.index) : openaiView(request.body, items, request.index);
  const fake = fakeOpenAI(
    (request) => {
      const sent = read(request);
      const error = interrupt?.(sent);
      if (error) return error;
      const content = openaiAnswer(decide?.(sent) ?? nextAction(sent), sent);
      for (const item of content) items.set(item.id ?? '', item);
      return { content };
    },
    { reasons: true },
  );
  return { fake, views: () => fake.requests.map(read), bodies: () => fake.requests.map(({ body }) => body) };
}

/** The service of a provider. */
export const serviceOf = (dialect: 'anthropic' | 'openai', ...given: Parameters<typeof anthropicService>): Service =>
  dialect === 'anthropic' ? anthropicService(...given) : openaiService(...given);
