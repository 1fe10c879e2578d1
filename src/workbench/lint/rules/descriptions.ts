import {
  asRecord,
  contentWords,
  estimateTokens,
  isStopWord,
  MAX_SHARED,
  ownEntries,
  sentencesOf,
  splitIdentifier,
  stem,
  words,
} from '../../../kit.ts';
import type { LintedParameter, LintedTool } from '../linted-catalog.ts';
import { count, list, quote } from '../quote.ts';
import type { Flaw, LintSeverity, Rules, Run } from '../rule.ts';

/** Words that tell of a tool; fewer match few queries. */
const FEW_WORDS = 2;

/** What is said of a tool itself. */
export const descriptionRules: Rules<'missing-description' | 'thin-description'> = {
  'missing-description': {
    summary: 'The tool has no description.',
    help: 'It can only be found by its name and parameters. Say in a sentence what it does, to what.',
    ofTool: ({ name, description }) =>
      description !== ''
        ? []
        : [
            {
              ...{ severity: 'error', toolName: name, path: 'description' },
              evidence: `${quote(name)} has no description: only its name and parameters can find it.`,
              remedy: 'Say in a sentence what it does, to what, and in which service.',
            },
          ],
  },
  'thin-description': {
    summary: 'The description says next to nothing.',
    help: 'One or two words, or those of the name again, match few queries. Say what the tool does, to what, and in which service.',
    ofTool: thin,
  },
};

function thin({ name, bareName, description }: LintedTool): readonly Flaw[] {
  if (description === '') return [];
  const distinctive = contentWords(words(description)).filter((word) => !isStopWord(word));
  const flaw = (severity: LintSeverity, evidence: string): Flaw[] => [
    {
      ...{ severity, toolName: name, path: 'description', evidence },
      remedy: 'Say what it does, to what, in which service, and when to use it.',
    },
  ];
  if (distinctive.length <= FEW_WORDS)
    return flaw(distinctive.length < FEW_WORDS ? 'warning' : 'info', `The description is ${quote(description)} alone.`);
  const named = new Set([...splitIdentifier(name), ...splitIdentifier(bareName)].map(stem));
  if (!distinctive.every((word) => named.has(stem(word)))) return [];
  return flaw('info', `The description ${quote(description)} repeats the words of the name.`);
}

/** What is said of its definition, and of what definitions have in common. */
export const definitionRules: Rules<'undescribed-parameters' | 'heavy-definition' | 'boilerplate'> = {
  'undescribed-parameters': {
    summary: 'Parameters have no descriptions.',
    help: 'The model guesses what goes in, and searches miss the words. Describe each, with its format and an example.',
    ofTool: undescribed,
  },
  'heavy-definition': {
    summary: 'The definition costs many tokens.',
    help: 'Each turn in which it is sent pays for it, and long texts match queries that mean other tools. Cut what is said twice.',
    ofTool: heavy,
  },
  boilerplate: {
    summary: 'Many tools say the same sentences.',
    help: 'Searches pass over them, and each turn pays for them. Say it once, in the instructions of the server or of the agent.',
    ofCatalog: boilerplate,
  },
};

/** Names that say nothing of what goes in. */
const VAGUE = new Set(
  `a arg args arguments b body config content context data entity ex extra info input item items json kwargs obj object
  opts options p param parameters params payload props request s str string text thing val value values x y z`.split(
    /\s+/,
  ),
);

/** Parameters without a description. Those inside others count where the outer one has none either. */
function undescribed({ name, parameters }: LintedTool): readonly Flaw[] {
  const outer = parameters.filter(({ depth }) => depth === 0);
  const undescribed = outer.filter(({ description }) => description === '');
  // Those whose name says nothing come first: the list may be cut.
  const vague = undescribed.filter(isVague);
  const [first, ...others] = [...vague, ...undescribed.filter((parameter) => !isVague(parameter))];
  if (first === undefined) return [];
  const isBad =
    2 * undescribed.length >= outer.length || vague.length > 0 || undescribed.some(({ isRequired }) => isRequired);
  const count = undescribed.length;
  const share =
    outer.length === 1
      ? 'The only parameter has'
      : `${count} of ${outer.length} parameters ${count === 1 ? 'has' : 'have'}`;
  return [
    {
      ...{ toolName: name, path: first.path },
      evidence: `${share} no description: ${list([first, ...others].map(({ path }) => path))}.`,
      severity: isBad ? 'warning' : 'info',
      remedy: 'Describe each: what it means, its format, an example.',
    },
  ];
}

function isVague({ name }: LintedParameter): boolean {
  return VAGUE.has(name.toLowerCase());
}

/**
 * Tokens of a heavy definition, and of a very heavy one. Of 2,801 tools of 92 MCP servers, half take at most 166, one in 25
 * more than 1,000, and one in 50 more than 2,000.
 */
const HEAVY = 1_000;
const VERY_HEAVY = 2_000;
/** A share of a definition that is worth to be named. */
const MOST = 0.25;

/** A definition that costs many tokens on each turn in which it is sent. */
function heavy({ name, description, schema }: LintedTool): readonly Flaw[] {
  const whole = json({ name, description, parameters: schema });
  // A token has one character or more.
  const tokens = whole.length > HEAVY ? estimateTokens(whole) : 0;
  if (tokens <= HEAVY) return [];
  const parts = [
    { path: 'description', what: 'its description', text: description },
    ...ownEntries(asRecord(schema)?.['properties']).map(([parameter, property]) => ({
      path: parameter,
      what: `the parameter ${quote(parameter, 64)}`,
      text: json(property),
    })),
  ];
  const [heaviest] = parts.toSorted((one, other) => other.text.length - one.text.length);
  const share = (heaviest?.text.length ?? 0) / whole.length;
  const isMost = heaviest !== undefined && share > MOST;
  return [
    {
      ...{ severity: tokens > VERY_HEAVY ? 'warning' : 'info', toolName: name },
      ...(isMost ? { path: heaviest.path } : {}),
      evidence: `The definition takes about ${tokens.toLocaleString('en-US')} tokens, ${
        isMost
          ? `${Math.round(100 * share)} % of them in ${heaviest.what}`
          : `spread over ${count(parts.length - 1, 'parameter')}`
      }.`,
      remedy: 'Cut examples and what is said twice, put reference text behind another tool, or make two tools of it.',
    },
  ];
}

/** A value as JSON; empty where it has none. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Words of a sentence that says something. */
const MIN_WORDS = 4;

/** Sentences that many tools have in common: searches pass over them, and each turn pays for them. */
function boilerplate({ tools }: Run): readonly Flaw[] {
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
      names.length > MAX_SHARED && !sentence.endsWith(':') && contentWords(words(sentence)).length >= MIN_WORDS,
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
      ...({ severity: 'info', toolName, others, path: 'description' } as const),
      evidence: `${others.length + 1} tools say ${quote(first)}${besides}: about ${tokens.toLocaleString('en-US')} tokens in all.`,
      remedy: 'Say it once, in the instructions of the server or of the agent.',
    };
  });
}
