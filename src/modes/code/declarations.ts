import type { CatalogEntry } from '../../catalog/catalog.ts';
import { inputJsonSchema, ownEntries } from '../../catalog/document.ts';
import { resolve } from '../../util/json-schema.ts';
import { asRecord } from '../../util/record.ts';
import { clean, cut, describeTool } from '../../util/text.ts';
import { estimateTokens } from '../../util/tokens.ts';

/** A tool's identifier after `external_`, by the rule of Mastra's transports. Several tools may share an identifier. */
export function identifierOf(name: string): string {
  const cleaned = name.replace(/[^A-Za-z0-9_$]/g, '_');
  return IDENTIFIER.test(cleaned) ? cleaned : `_${cleaned}`;
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
/** Limits of a written type: nesting depth, parts and enum values. `unknown` stands for the rest. */
const MAX_DEPTH = 8;
const MAX_PARTS = 400;
const MAX_VALUES = 24;
const MAX_COMMENT = 80;

interface Writing {
  readonly root: unknown;
  readonly hasComments: boolean;
  left: number;
}

/** Writes the declaration of a tool for programs: `declare function external_…(input: …): Promise<…>;` */
export type Declare = (entry: CatalogEntry, hasTypes?: boolean, isWhole?: boolean) => string;

/**
 * Declares tools with types while `tokens` last. After that, and without `hasTypes`, a declaration has only the names of the
 * parameters.
 */
export function declarer(tokens: number): Declare {
  let left = tokens;
  return (entry, hasTypes = true, isWhole = false) => {
    const forms = hasTypes ? [true, false].map((hasComments) => () => declarationOf(entry, hasComments)) : [];
    for (const form of forms) {
      if (!isWhole && left <= 0) break;
      const text = form();
      const size = estimateTokens(text);
      if (size > left && !isWhole) continue;
      left -= size;
      return text;
    }
    return written(entry, namesOf(entry), 'unknown');
  };
}

/** Limit, in characters, of the parameter names in a declaration without types. */
const MAX_NAMES = 200;

/** The parameters without types. For a lazy tool, required parameters are unknown. */
function namesOf({ tool, isLazy }: CatalogEntry): string {
  try {
    const { properties, required } = asRecord(inputJsonSchema(tool)) ?? {};
    const needed = new Set<unknown>(!isLazy && Array.isArray(required) ? required : []);
    const names = ownEntries(properties).map(([name]) => `${fieldName(name)}${needed.has(name) ? '' : '?'}: unknown`);
    const text = `{ ${names.join('; ')} }`;
    return names.length > 0 && text.length <= MAX_NAMES ? text : 'object';
  } catch {
    return 'object';
  }
}

function fieldName(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

function declarationOf(entry: CatalogEntry, hasComments: boolean): string {
  const { tool } = entry;
  const { outputSchema } = tool as { readonly outputSchema?: unknown };
  return written(
    entry,
    typeOf(() => inputJsonSchema(tool), hasComments),
    typeOf(() => outputOf(outputSchema), false),
  );
}

function outputOf(schema: unknown): unknown {
  return schema === undefined ? undefined : inputJsonSchema({ inputSchema: schema } as never);
}

function written({ name, description }: CatalogEntry, input: string, output: string): string {
  const line = inComment(describeTool(description));
  return `${line === '' ? '' : `/** ${line} */\n`}declare function external_${identifierOf(name)}(input: ${input}): Promise<${output}>;`;
}

/** Escapes text of a tool's author, so that it cannot end the comment around it. */
function inComment(text: string): string {
  return text.replaceAll('*/', '* /');
}

function typeOf(schema: () => unknown, hasComments: boolean): string {
  try {
    const root = schema();
    return root === undefined ? 'unknown' : typeIn(root, 0, { root, hasComments, left: MAX_PARTS });
  } catch {
    return 'unknown';
  }
}

function typeIn(node: unknown, depth: number, writing: Writing): string {
  const schema = resolve(node, writing.root);
  writing.left -= 1;
  if (!schema || depth > MAX_DEPTH || writing.left < 0) return 'unknown';
  const of = (part: unknown): string => typeIn(part, depth + 1, writing);
  const { type, enum: values, const: only, anyOf, oneOf, allOf, items } = schema;
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return union(values.slice(0, MAX_VALUES).map(literal), values.length > MAX_VALUES);
  const alternatives = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (alternatives) return union((alternatives as unknown[]).map(of));
  if (Array.isArray(type)) return union(type.map((each) => of({ ...schema, type: each })));
  if (Array.isArray(allOf) && allOf.length > 0 && !schema['properties'])
    return allOf.map((part) => grouped(of(part))).join(' & ');
  if (type === 'object' || schema['properties'] !== undefined) return objectIn(schema, depth, writing);
  if (type === 'array' || items !== undefined) return `${grouped(of(items ?? {}))}[]`;
  if (type === 'integer') return 'number';
  return ['string', 'number', 'boolean', 'null'].find((each) => each === type) ?? 'unknown';
}

function objectIn(schema: Readonly<Record<string, unknown>>, depth: number, writing: Writing): string {
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const fields = ownEntries(schema['properties']).map(([name, property]) => {
    const { description } = asRecord(property) ?? {};
    const text =
      writing.hasComments && typeof description === 'string' ? clean(cut(description, MAX_COMMENT), MAX_COMMENT) : '';
    const comment = text === '' ? '' : `/* ${inComment(text)} */ `;
    return `${comment}${fieldName(name)}${required.has(name) ? '' : '?'}: ${typeIn(property, depth + 1, writing)}`;
  });
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  const more = schema['additionalProperties'];
  if (more === false) return '{}';
  return `Record<string, ${asRecord(more) ? typeIn(more, depth + 1, writing) : 'unknown'}>`;
}

function union(types: readonly string[], isCut = false): string {
  const each = [...new Set(types)];
  return isCut ? [...each, 'string'].join(' | ') : each.join(' | ');
}

function grouped(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : (JSON.stringify(value) ?? 'unknown');
}
