import { ModelRouterLanguageModel } from '@mastra/core/llm';

const choices = {
  anthropic: { id: 'anthropic/claude-sonnet-4-5', key: 'ANTHROPIC_API_KEY' },
  openai: { id: 'openai/gpt-5-mini', key: 'OPENAI_API_KEY' },
} as const;

/**
 * The real model that `--model anthropic`, `--model openai` or `--model provider/name` asks for; undefined for the
 * scripted one. Exits with a message when it cannot be had.
 */
export function chosenModel(choice: string | undefined): ModelRouterLanguageModel | undefined {
  if (choice === undefined) return undefined;
  const [provider = ''] = choice.split('/');
  if (!Object.hasOwn(choices, provider)) {
    console.error(
      `--model must be one of ${Object.keys(choices).join(', ')}, or such as ${choices.anthropic.id}; got "${choice}".`,
    );
    process.exit(2);
  }
  const { id, key } = choices[provider as keyof typeof choices];
  if (!process.env[key]) {
    console.error(
      `--model ${choice} needs ${key} in the environment. Without --model, the demo runs with a scripted model.`,
    );
    process.exit(2);
  }
  return new ModelRouterLanguageModel((choice.includes('/') ? choice : id) as typeof id);
}
