import { asRecord } from '../../../src/util/record.ts';

/** Levels of a schema that are filled; deeper ones are cut, as a schema may contain itself. */
const MAX_DEPTH = 8;

/** An input that a JSON schema accepts: its required fields alone, each with the first value that will do. */
export function sampleInput(schema: unknown): unknown {
  return sample(schema, asRecord(schema) ?? {}, 0);
}

function sample(schema: unknown, root: Readonly<Record<string, unknown>>, depth: number): unknown {
  const { $ref, allOf, anyOf, oneOf, ...own } = asRecord(schema) ?? {};
  if (depth > MAX_DEPTH) return null;
  if (typeof $ref === 'string') return sample(resolve($ref, root), root, depth + 1);
  if ('default' in own) return own['default'];
  if ('const' in own) return own['const'];
  if (Array.isArray(own['enum'])) return own['enum'][0];
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices && own['properties'] === undefined) return sample(choices[0], root, depth + 1);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => sample(part, root, depth + 1)));
  const type = Array.isArray(own['type']) ? own['type'][0] : own['type'];
  if (type === 'array') {
    return Array.from({ length: Number(own['minItems'] ?? 0) }, () => sample(own['items'], root, depth + 1));
  }
  if (type === 'integer' || type === 'number') return sampleNumber(own);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'string') return sampleText(own);
  return sampleObject(own, root, depth);
}

function sampleObject(
  { properties, required }: Readonly<Record<string, unknown>>,
  root: Readonly<Record<string, unknown>>,
  depth: number,
): object {
  const fields = asRecord(properties) ?? {};
  const names = Array.isArray(required) ? required : [];
  return Object.fromEntries(names.map((name) => [name, sample(fields[name] ?? { type: 'string' }, root, depth + 1)]));
}

function sampleNumber({ minimum, exclusiveMinimum, maximum }: Readonly<Record<string, unknown>>): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'ann@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
};

function sampleText({ format, minLength, pattern }: Readonly<Record<string, unknown>>): string {
  const candidates = [
    FORMATS[String(format)],
    'example',
    '1',
    'a',
    '2026-01-31',
    'A1',
    '00000000-0000-4000-8000-000000000000',
  ];
  const fits = candidates.find(
    (text) => text !== undefined && (typeof pattern !== 'string' || new RegExp(pattern).test(text)),
  );
  const text = fits ?? 'example';
  return text.padEnd(Number(minLength ?? 0), text[0]);
}

function resolve(ref: string, root: Readonly<Record<string, unknown>>): unknown {
  let at: unknown = root;
  for (const part of ref.split('/').slice(1)) at = asRecord(at)?.[part];
  return at;
}
