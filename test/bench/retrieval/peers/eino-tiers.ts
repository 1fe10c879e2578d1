import { type Contestant, ranked } from '../contestant.ts';

/**
 * Eino's tool search (cloudwego/eino, adk/middlewares/dynamictool/toolsearch), written from its rules: per keyword the
 * best of part of the name 10, inside a part 5, inside the name 3, inside the description 2; summed; ties by name.
 * White space separates keywords, punctuation stays, and `+word` has to match.
 */
export const einoTiers: Contestant = {
  name: 'eino',
  async build(tools) {
    const entries = tools.map(({ id, description }) => ({
      name: id,
      nameText: id.toLowerCase(),
      parts: partsOf(id),
      description: description.toLowerCase(),
    }));
    entries.sort((first, second) => (first.name < second.name ? -1 : 1));

    return async (query) => {
      const keywords = query
        .toLowerCase()
        .split(/\s+/)
        .map((word) => ({ word: word.replace(/^\+/, ''), isRequired: word.startsWith('+') }))
        .filter(({ word }) => word !== '');
      return ranked(
        entries.map(({ name, nameText, parts, description }) => {
          let score = 0;
          for (const { word, isRequired } of keywords) {
            const earned = tier(word, nameText, parts, description);
            if (isRequired && earned === 0) return { name, score: 0 };
            score += earned;
          }
          return { name, score };
        }),
      );
    };
  },
};

function tier(word: string, nameText: string, parts: readonly string[], description: string): number {
  if (parts.includes(word)) return 10;
  if (parts.some((part) => part.includes(word))) return 5;
  if (nameText.includes(word)) return 3;
  return description.includes(word) ? 2 : 0;
}

/** At underscores, before a capital after a small letter, and before the last capital of several that a small letter follows. */
function partsOf(name: string): readonly string[] {
  const broken = name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1_').replace(/([^_])(?=\p{Lu}\p{Ll})/gu, '$1_');
  return broken
    .split('_')
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}
