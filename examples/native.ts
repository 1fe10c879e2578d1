// A model with a tool search of its own: what a request holds, step by step, and what of it stays the same.
// Run it with: npm run example:native. Without a key it talks to a fake of Anthropic's Messages API and of OpenAI's
// Responses API on this machine; with ANTHROPIC_API_KEY or OPENAI_API_KEY to the real service.
import { hash } from 'node:crypto';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import type { LanguageModel } from '@mastra/core/llm';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { listenAsAnthropic, listenAsOpenAI } from './support/fake-services.ts';
import { clock, tools } from './support/office.ts';

/** A request, as it went to the service. */
interface Body {
  readonly system?: unknown;
  readonly tools?: readonly { readonly type?: string; readonly name?: string; readonly defer_loading?: boolean }[];
  readonly messages?: readonly unknown[];
  readonly input?: readonly unknown[];
}

/** `fetch`, with a line for every request. */
const reporting: typeof fetch = async (url, init) => {
  const { system, tools: sent = [], messages, input } = JSON.parse(String(init?.body)) as Body;
  const deferred = sent.filter((tool) => tool.defer_loading);
  const first = JSON.stringify([system, sent.filter((tool) => !tool.defer_loading)]);
  const names = sent.filter((tool) => !tool.defer_loading).map(({ name, type }) => name ?? type);
  console.log(`  ${names.join(', ')} + ${deferred.length} deferred; beginning ${hash('sha256', first).slice(0, 8)}`);
  const last = JSON.stringify((messages ?? input)?.at(-1));
  console.log(`    last: ${last.length > 150 ? `${last.slice(0, 150)}…` : last}`);
  return fetch(url, init);
};

const { ANTHROPIC_API_KEY, OPENAI_API_KEY } = process.env;
const anthropicService = ANTHROPIC_API_KEY ? undefined : await listenAsAnthropic();
const openaiService = OPENAI_API_KEY ? undefined : await listenAsOpenAI();
const anthropic = createAnthropic({ fetch: reporting, ...anthropicService?.settings });
const openai = createOpenAI({ fetch: reporting, ...openaiService?.settings });
const models = [anthropic('claude-sonnet-4-5'), openai('gpt-5.4')] as unknown as LanguageModel[];

try {
  for (const model of models) {
    for (const execution of ['client', 'server'] as const) {
      console.log(`${model.provider}, searched by the ${execution}`);
      const processor = new ToolSearchProcessor({ tools, mode: 'native', native: { execution } });
      const agent = new Agent({
        id: 'office',
        name: 'Office',
        instructions: 'You help in an office.',
        model,
        tools: { clock },
        inputProcessors: [processor],
        // Goes on without, should the service refuse its tool search.
        errorProcessors: [processor],
        defaultOptions: { maxSteps: 20 },
      });
      const { text } = await agent.generate('How is the weather in Bern?');
      console.log(`  ${text}`);
    }
  }
} finally {
  await Promise.all([anthropicService?.close(), openaiService?.close()]);
}
