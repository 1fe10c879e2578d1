import { contentWords, estimateTokens, MAX_SHARED, sentencesOf, words } from '../../kit.ts';
import type { LintFinding } from './finding.ts';
import type { LintedCatalog } from './linted-catalog.ts';
import { quote } from './quote.ts';

/** Words of a sentence that says something. */
const FEW_WORDS = 4;

/** Sentences that many tools have in common: searches pass over them, and each turn pays for them. */
export function boilerplate({ tools }: LintedCatalog): readonly LintFinding[] {
  const namesOf = new Map<string, string[]>();
  for (const { name, document } of tools) {
    for (const sentence of new Set(sentencesOf(document))) {
      const names = namesOf.get(sentence);
      if (names) names.push(name);
      else namesOf.set(sentence, [name]);
    }
  }
  const shared = [...namesOf].filter(
    ([sentence, names]) =>
      names.length > MAX_SHARED && !sentence.endsWith(':') && contentWords(words(sentence)).length >= FEW_WORDS,
  );
  // Sentences of the same tools are one text.
  const texts = new Map<string, { readonly names: readonly string[]; readonly sentences: string[] }>();
  for (const [sentence, names] of shared) {
    const key = names.join('\n');
    const text = texts.get(key);
    if (text) text.sentences.push(sentence);
    else texts.set(key, { names, sentences: [sentence] });
  }
  return [...texts.values()].map(({ names: [toolName = '', ...others], sentences }) => {
    const [first = '', ...more] = sentences.toSorted((one, other) => other.length - one.length);
    const tokens = estimateTokens(sentences.join(' ')) * (others.length + 1);
    const besides = more.length > 0 ? ` and ${more.length} more` : '';
    return {
      ...({ rule: 'boilerplate', severity: 'info', toolName, others, path: 'description' } as const),
      evidence: `${others.length + 1} tools say ${quote(first)}${besides}: about ${tokens.toLocaleString('en-US')} tokens in all.`,
      remedy: 'Say it once, in the instructions of the server or of the agent.',
    };
  });
}
