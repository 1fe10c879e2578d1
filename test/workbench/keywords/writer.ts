import { type Script, type ScriptedModel, scriptedModel, userText } from '../../support/scripted-model.ts';

/** The tools that a prompt shows, as a model reads them. */
export function shownTools(prompt: string): readonly { readonly name: string; readonly description: string }[] {
  const [, lines = ''] = /<tools>\n([^<]*)\n<\/tools>/.exec(prompt) ?? [];
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line));
}

/** An answer of keywords for each tool that is shown. */
export function answerWith(prompt: string, keywordsOf: (name: string) => unknown): string {
  return JSON.stringify({ tools: shownTools(prompt).map(({ name }) => ({ name, keywords: keywordsOf(name) })) });
}

/** A language model that writes these keywords. */
export function writer(keywords: Readonly<Record<string, unknown>>, version: 'v2' | 'v3' | 'v4' = 'v3'): ScriptedModel {
  const script: Script = ({ prompt }) => ({ text: answerWith(userText(prompt), (name) => keywords[name] ?? []) });
  return scriptedModel(script, { version });
}

/** A function that writes these keywords, with the prompts that it was given. */
export function writing(
  keywords: Readonly<Record<string, unknown>>,
): ((prompt: string) => string) & { readonly prompts: string[] } {
  const prompts: string[] = [];
  const model = (prompt: string): string => {
    prompts.push(prompt);
    return answerWith(prompt, (name) => keywords[name] ?? []);
  };
  return Object.assign(model, { prompts });
}
