import type { DefinitionPin } from '../kit.ts';
import { isRecord } from '../util/record.ts';

/** Limit of each text of a stored pin, in characters. */
const MAX_TEXT = 2_000;
/** Limit of the parts of a stored pin. */
const MAX_PARTS = 1_000;

/** Copies the known fields of a stored pin, within the limits. Undefined if the value is no pin. */
export function asPin(value: unknown): DefinitionPin | undefined {
  if (!isRecord(value)) return undefined;
  const { digest, server, description = '', parts, accepted } = value;
  if (typeof digest !== 'string' || typeof description !== 'string') return undefined;
  const known = Object.entries(isRecord(parts) ? parts : {}).filter(
    (part): part is [string, string] => typeof part[1] === 'string',
  );
  return {
    digest: digest.slice(0, MAX_TEXT),
    ...(typeof server === 'string' ? { server: server.slice(0, MAX_TEXT) } : {}),
    description: description.slice(0, MAX_TEXT),
    parts: Object.fromEntries(known.slice(0, MAX_PARTS)),
    ...(accepted === true ? { accepted } : {}),
  };
}
