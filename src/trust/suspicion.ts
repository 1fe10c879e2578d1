import type { Definition } from './definition.ts';
import { hiddenCharacters, instructingText, type Misleading } from './misleading.ts';
import type { DefinitionTexts } from './texts.ts';

/** What makes a definition suspicious: the rule of lint, and its finding. */
export interface Suspicion extends Pick<Misleading, 'path' | 'evidence'> {
  readonly rule: 'instructs-model' | 'hidden-characters';
}

/**
 * The worst of a definition that is no honest text: what lint calls an error. What it calls a warning stands in honest
 * definitions too often to act on.
 */
export function suspicionIn(definition: Definition): Suspicion | undefined {
  const texts = textsIn(definition);
  const rules = { 'instructs-model': instructingText, 'hidden-characters': hiddenCharacters } as const;
  for (const [rule, look] of Object.entries(rules) as [keyof typeof rules, typeof instructingText][]) {
    const found = look(texts);
    if (found?.severity !== 'error') continue;
    const { path, evidence } = found;
    return { rule, ...(path === undefined ? {} : { path }), evidence };
  }
  return undefined;
}

function textsIn({ name, description, inputSchema, ...others }: Definition): DefinitionTexts {
  const { annotations, outputSchema, serverInstructions } = others;
  return {
    ...{ originalName: name, title: '', description: description.trim(), schema: inputSchema },
    others: { annotations, outputSchema, serverInstructions },
  };
}
