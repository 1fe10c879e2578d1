import { definitionTexts, ownEntries, sentencesOf } from '../../../kit.ts';
import { asRecord } from '../../../util/record.ts';
import { estimateTokens } from '../../../util/tokens.ts';
import { contentWords, isStopWord, splitIdentifier, stem, words } from '../../../util/words.ts';
import { grouped } from '../../grouped.ts';
import type { Flaw, LintedTool, Rules, Run, ToolFlaw } from '../rule.ts';

const { count, list, quote } = definitionTexts;

/** Up to this many content words, a description matches few queries. */
const FEW_WORDS = 2;

export const descriptionRules: Rules<'missing-description' | 'thin-description'> = {
  'missing-description': {
    summary: 'The tool has no description.',
    help: 'It can only be found by its name and parameters. Say in a sentence what it does, to what.',
    ofTool: ({ name, description }) =>
      description === ''
        ? {
            ...{ severity: 'error', path: 'description' },
            evidence: `${quote(name)} has no description: only its name and parameters can find it.`,
            remedy: 'Say in a sentence what it does, to what, and in which service.',
          }
        : undefined,
  },
  'thin-description': {
    summary: 'The description says next to nothing.',
    help: 'One or two words, or those of the name again, match few queries. Say what the tool does, to what, and in which service.',
    ofTool: thin,
  },
};

function thin({ name, bareName, description }: LintedTool): ToolFlaw | undefined {
  if (description === '') return undefined;
  const distinctive = contentWords(words(description)).filter((word) => !isStopWord(word));
  const isShort = distinctive.length <= FEW_WORDS;
  const named = new Set([...splitIdentifier(name), ...splitIdentifier(bareName)].map(stem));
  if (!isShort && !distinctive.every((word) => named.has(stem(word)))) return undefined;
  return {
    ...{ severity: distinctive.length < FEW_WORDS ? 'warning' : 'info', path: 'description' },
    evidence: isShort
      ? `The description is ${quote(description)} alone.`
      : `The description ${quote(description)} repeats the words of the name.`,
    remedy: 'Say what it does, to what, in which service, and when to use it.',
  };
}

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
    help: 'They tell no tool apart, and each turn pays for them. Say it once, in the instructions of the server or of the agent.',
    ofCatalog: boilerplate,
  },
};

/** Names that do not describe the input. */
const VAGUE = new Set(
  `a arg args arguments b body config content context data entity ex extra info input item items json kwargs obj object
  opts options p param parameters params payload props request s str string text thing val value values x y z`.split(
    /\s+/,
  ),
);

function undescribed({ parameters }: LintedTool): ToolFlaw | undefined {
  const outer = parameters.filter(({ depth }) => depth === 0);
  const found = outer.filter(({ description }) => description === '');
  const isVague = ({ name }: { readonly name: string }): boolean => VAGUE.has(name.toLowerCase());
  // Vague names come first, because the list may be cut.
  const ordered = [...found.filter(isVague), ...found.filter((parameter) => !isVague(parameter))];
  const [first] = ordered;
  if (!first) return undefined;
  const isBad = 2 * found.length >= outer.length || isVague(first) || found.some(({ isRequired }) => isRequired);
  const share =
    outer.length === 1
      ? 'The only parameter has'
      : `${found.length} of ${outer.length} parameters ${found.length === 1 ? 'has' : 'have'}`;
  return {
    ...{ path: first.path, severity: isBad ? 'warning' : 'info' },
    evidence: `${share} no description: ${list(ordered.map(({ path }) => path))}.`,
    remedy: 'Describe each: what it means, its format, an example.',
  };
}

/**
 * Tokens of a heavy and of a very heavy definition. Of 2,801 tools of 92 MCP servers, half have at most 166 tokens, one in 25
 * has more than 1,000, and one in 50 more than 2,000.
 */
const HEAVY = 1_000;
const VERY_HEAVY = 2_000;
/** A part with this share of a definition's tokens is named. */
const MOST = 0.25;

function heavy({ name, description, schema }: LintedTool): ToolFlaw | undefined {
  const whole = json({ name, description, parameters: schema });
  // A token has at least one character, so short texts need no count.
  const tokens = whole.length > HEAVY ? estimateTokens(whole) : 0;
  if (tokens <= HEAVY) return undefined;
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
  const where = isMost
    ? `${Math.round(100 * share)} % of them in ${heaviest.what}`
    : `spread over ${count(parts.length - 1, 'parameter')}`;
  return {
    ...{ severity: tokens > VERY_HEAVY ? 'warning' : 'info', ...(isMost ? { path: heaviest.path } : {}) },
    evidence: `The definition takes about ${tokens.toLocaleString('en-US')} tokens, ${where}.`,
    remedy: 'Cut examples and what is said twice, put reference text behind another tool, or make two tools of it.',
  };
}

/** A value as JSON. Empty if the value cannot be written as JSON. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Minimum number of words of a meaningful sentence. */
const MIN_WORDS = 4;

/** Number of tools that may share a sentence. */
const MAX_SHARED = 8;

/** Finds sentences of many tools: they tell no tool apart, and each turn pays for them. */
function boilerplate({ tools }: Run): readonly Flaw[] {
  const said = tools.flatMap(({ name, document }) =>
    [...new Set(sentencesOf(document))].map((sentence) => ({ name, sentence })),
  );
  const shared = [...grouped(said, ({ sentence }) => sentence)].filter(
    ([sentence, by]) =>
      by.length > MAX_SHARED && !sentence.endsWith(':') && contentWords(words(sentence)).length >= MIN_WORDS,
  );
  // Sentences that the same tools share are reported as one text.
  const texts = grouped(shared, ([, by]) => by.map(({ name }) => name).join('\n'));
  return [...texts.values()].map((text) => {
    const [toolName = '', ...others] = text[0][1].map(({ name }) => name);
    const sentences = text.map(([sentence]) => sentence);
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
