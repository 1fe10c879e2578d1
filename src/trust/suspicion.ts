import type { Definition } from './definition.ts';
import { hiddenCharacters, instructingText, type Misleading } from './misleading.ts';
import { type DefinitionTexts, textsOf } from './texts.ts';

/** Why a definition is suspicious: the lint rule that it breaks, the place and the evidence. */
export interface Suspicion extends Pick<Misleading, 'path' | 'evidence'> {
  readonly rule: 'instructs-model' | 'hidden-characters';
}

/**
 * Returns the first error that lint finds in the texts of a definition. Its warnings are ignored, because honest
 * definitions cause them too often, except that the definition is too long to be read to its end.
 */
export function suspicionIn(definition: Definition): Suspicion | undefined {
  const texts = textsIn(definition);
  const { isCut } = textsOf(texts);
  const rules = { 'instructs-model': instructingText, 'hidden-characters': hiddenCharacters } as const;
  for (const [rule, look] of Object.entries(rules) as [keyof typeof rules, typeof instructingText][]) {
    const found = look(texts);
    if (!found || (found.severity !== 'error' && !(isCut && rule === 'instructs-model'))) continue;
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
