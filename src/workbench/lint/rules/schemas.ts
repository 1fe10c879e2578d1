import { definitionTexts, providerRules } from '../../../kit.ts';
import * as jsonSchema from '../../../util/json-schema.ts';
import { asRecord } from '../../../util/record.ts';
import type { Flaw, LintedTool, Rule, Rules, ToolFlaw } from '../rule.ts';

const { count, list, quote } = definitionTexts;

/** Finds schemas that a provider or Mastra's validator refuses, and parts that nobody reads. */
export const schemaRules: Rules<
  | 'refused-by-anthropic'
  | 'refused-by-openai'
  | 'refused-by-google'
  | 'refused-by-bedrock'
  | 'foreign-dialect'
  | 'dangling-reference'
  | 'foreign-pattern'
  | 'unused-definitions'
> = {
  'refused-by-anthropic': refusedBy('anthropic'),
  'refused-by-openai': refusedBy('openai'),
  'refused-by-google': refusedBy('google'),
  'refused-by-bedrock': refusedBy('bedrock'),
  'foreign-dialect': {
    summary: 'The schema is in a dialect of JSON schema that Mastra does not validate.',
    help: 'Every call of the tool is answered with an error. Write "$schema" of draft 7 or 2020-12, or none.',
    ofTool: foreignDialect,
  },
  'dangling-reference': {
    summary: 'A reference of the schema leads nowhere.',
    help: 'Every call of the tool is answered with an error, and the model does not read what is meant. Define it under "$defs".',
    ofTool: danglingReference,
  },
  'foreign-pattern': {
    summary: 'A pattern of the schema is no regular expression of JavaScript.',
    help: 'Every call of the tool is answered with an error. Write it as JavaScript reads it with the flag "u", without (?P<name>…), \\A and \\Z.',
    ofTool: foreignPattern,
  },
  'unused-definitions': {
    summary: 'The schema defines what it does not use.',
    help: 'Where the agent sends the tool itself, each turn pays for it; this processor leaves it out. Take it out of "$defs".',
    ofTool: unusedDefinitions,
  },
};

const SOURCE = 'The processor sends it in another form, and cannot do so for tools of the agent itself.';

function refusedBy(name: providerRules.Provider['name']): Rule {
  const provider = providerRules.providers.find((one) => one.name === name) as providerRules.Provider;
  return {
    summary: `${provider.title} refuses the schema.`,
    help: `A request with such a tool is refused whole. The processor sends it in another form where there is one, and withholds it from ${provider.title} where not.`,
    isOfChosen: true,
    async ofCatalog({ chosen, mode, pause }) {
      const flaws: Flaw[] = [];
      // In call mode, no provider reads a tool's schema.
      for (const tool of mode === 'call' ? [] : chosen) {
        const flaw = refusal(tool, provider);
        if (flaw) flaws.push({ ...flaw, toolName: tool.name });
        await pause();
      }
      return flaws;
    },
  };
}

function refusal({ schema }: LintedTool, provider: providerRules.Provider): ToolFlaw | undefined {
  const root = asRecord(schema);
  const faults = root ? [...providerRules.faultsOf(root, provider)] : [];
  const [first] = faults;
  if (!root || !first) return undefined;
  const more = faults.length > 1 ? `, and ${count(faults.length - 1, 'more place')} that it refuses` : '';
  const isLost = 'refusal' in providerRules.adapt(root, [provider]);
  return {
    severity: isLost ? 'error' : 'warning',
    path: pathOf(first.path),
    evidence: `${provider.title} refuses the schema: it has ${first.has}${more}.`,
    remedy: isLost ? 'No other form of it is known. Give the tool an object as its input.' : SOURCE,
  };
}

/** Formats a path in a schema: names of parameters alone, and `[]` for the items of a list. */
function pathOf(steps: readonly string[]): string {
  const named = steps.flatMap((step, at) => {
    if (steps[at - 1] === 'properties') return [at > 1 ? `.${step}` : step];
    return step === 'items' ? ['[]'] : [];
  });
  return named.join('') || 'inputSchema';
}

/** The dialects that Mastra's validator knows. */
const DIALECTS =
  /^(?:|https:\/\/json-schema\.org\/draft\/2020-12\/schema#?|http:\/\/json-schema\.org\/(?:draft-07\/)?schema#?)$/;

function foreignDialect({ schema, isJsonSchema }: LintedTool): ToolFlaw | undefined {
  const dialect = asRecord(schema)?.['$schema'];
  if (isJsonSchema === false || typeof dialect !== 'string' || DIALECTS.test(dialect)) return undefined;
  return {
    ...{ severity: 'error', path: 'inputSchema' },
    evidence: `The schema is of the dialect ${quote(dialect)}, which Mastra's validator does not know.`,
    remedy: 'Write "$schema" of draft 7 or 2020-12, or none.',
  };
}

function danglingReference({ schema, isJsonSchema }: LintedTool): ToolFlaw | undefined {
  if (isJsonSchema === false) return undefined;
  const parts = [...jsonSchema.partsOf(schema)];
  // With these keywords, a reference may name its target.
  if (parts.some(({ schema: part }) => ['$id', '$anchor', '$dynamicAnchor'].some((key) => key in part)))
    return undefined;
  const dangling = parts.find(({ schema: { $ref } }) => typeof $ref === 'string' && !leads($ref, schema));
  if (!dangling) return undefined;
  return {
    ...{ severity: 'error', path: pathOf(dangling.path) },
    evidence: `The reference ${quote(String(dangling.schema['$ref']))} leads nowhere.`,
    remedy: 'Define under "$defs" what it refers to, or write that in its place.',
  };
}

/** Whether a reference has a target, which may be circular. */
function leads($ref: string, root: unknown): boolean {
  return jsonSchema.targetOf($ref, root) !== undefined;
}

/** Python's regex syntax that JavaScript reads as literal letters. */
const OF_PYTHON = /\(\?P[<=>]|(?:^|[^\\])(?:\\\\)*\\[AZz]/;

function foreignPattern({ schema, isJsonSchema }: LintedTool): ToolFlaw | undefined {
  if (isJsonSchema === false) return undefined;
  for (const { schema: part, path } of jsonSchema.partsOf(schema)) {
    const patterns = [part['pattern'], ...Object.keys(asRecord(part['patternProperties']) ?? {})];
    const wrong = patterns.find((pattern) => typeof pattern === 'string' && !isReadable(pattern, isJsonSchema));
    if (typeof wrong !== 'string') continue;
    const kind = OF_PYTHON.test(wrong) ? "Python's" : 'none that JavaScript reads';
    return {
      ...{ severity: 'error', path: pathOf(path) },
      evidence: `The pattern ${quote(wrong)} is ${kind}.`,
      remedy: 'Write it as JavaScript reads it with the flag "u": (?<name>…), ^ and $, and no needless backslash.',
    };
  }
  return undefined;
}

/** Whether the validator can read a pattern. For a library's schema, only patterns that are invalid in every mode count. */
function isReadable(pattern: string, isJsonSchema: boolean | undefined): boolean {
  try {
    // The pattern is only compiled, never run on a text.
    Reflect.construct(RegExp, [pattern, isJsonSchema ? 'u' : '']);
    return true;
  } catch {
    return false;
  }
}

function unusedDefinitions({ schema }: LintedTool): ToolFlaw | undefined {
  const unused = jsonSchema.unusedDefinitions(schema);
  if (unused.length === 0) return undefined;
  const characters = JSON.stringify(schema).length - JSON.stringify(jsonSchema.withoutUnused(schema)).length;
  const names = list(unused.map(({ name }) => name));
  return {
    ...{ severity: 'info', path: 'inputSchema' },
    evidence: `${count(characters, 'character')} of the schema define what it does not use: ${names}.`,
    remedy: `Take ${unused.length === 1 ? 'it' : 'them'} out.`,
  };
}
