import { asRecord, ownEntries, resolve } from '../../kit.ts';

/** A parameter of a tool, at any depth. */
export interface LintedParameter {
  /** Its name behind those of the parameters that it is in: `filter.state`; `[]` stands behind the name of a list. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What its schema says of it. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly depth: number;
}

const MAX_DEPTH = 8;
const MAX_PARAMETERS = 1_000;
/** Nodes of a schema that are read: a schema that makes new objects at each reading has no end. */
const MAX_NODES = 10_000;
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

interface Node {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** The parameters of a JSON schema with their paths, outer ones first. Cycles and what lies deeper than eight levels are left out. */
export function parametersOf(schema: unknown): readonly LintedParameter[] {
  const found: LintedParameter[] = [];
  const paths = new Set<string>();
  const seen = new Set<object>();
  const queue: Node[] = [{ value: schema, path: '', depth: 0 }];
  for (const { value, path, depth } of queue) {
    const fields = resolve(value, schema);
    if (!fields || depth > MAX_DEPTH || seen.has(fields)) continue;
    seen.add(fields);
    const required = fields['required'];
    for (const [name, property] of ownEntries(fields['properties'])) {
      const inner = path === '' ? name : `${path}.${name}`;
      const described = resolve(property, schema) ?? {};
      // Beside a $ref there may be a description of its own.
      const description = asRecord(property)?.['description'] ?? described['description'];
      // Branches of a union may have one parameter each.
      if (!paths.has(inner)) {
        paths.add(inner);
        found.push({
          ...{ path: inner, name, depth, fields: described },
          description: typeof description === 'string' ? description.trim() : '',
          isRequired: Array.isArray(required) && required.includes(name),
        });
      }
      queue.push({ value: property, path: inner, depth: depth + 1 });
    }
    for (const place of ALTERNATIVES) {
      const branches = fields[place];
      if (Array.isArray(branches))
        for (const branch of branches.slice(0, 50)) queue.push({ value: branch, path, depth });
    }
    for (const place of ['items', 'additionalProperties'] as const)
      if (asRecord(fields[place])) queue.push({ value: fields[place], path: `${path}[]`, depth: depth + 1 });
    if (found.length >= MAX_PARAMETERS || queue.length >= MAX_NODES) break;
  }
  return found;
}
