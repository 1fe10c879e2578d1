import { createHash } from 'node:crypto';
import { BadBytes } from './bad-bytes.ts';

/** Arrays of numbers that are written as they lie in memory. */
type Numbers = Uint8Array | Uint32Array | Int32Array;

/** The parts of an index that are written, in this order. */
export interface Packed {
  /** Words, each ended by a line break, in UTF-8; the same of the stems in names. */
  readonly words: Uint8Array<ArrayBuffer>;
  readonly nameStems: Uint8Array;
  /** The arrays of a segment, by the names that they have there. */
  readonly lengths: Uint8Array;
  readonly spellings: Int32Array;
  readonly namePartEnds: Uint32Array;
  readonly nameParts: Uint32Array;
  readonly ends: Uint32Array;
  readonly documents: Uint32Array;
  readonly counts: Uint32Array;
}

const KINDS: { readonly [Part in keyof Packed]: new (buffer: ArrayBuffer) => Packed[Part] } = {
  words: Uint8Array,
  nameStems: Uint8Array,
  lengths: Uint8Array,
  spellings: Int32Array,
  namePartEnds: Uint32Array,
  nameParts: Uint32Array,
  ends: Uint32Array,
  documents: Uint32Array,
  counts: Uint32Array,
};
const PARTS = Object.keys(KINDS) as (keyof Packed)[];

/** The first bytes, which no other file begins with, and the order of bytes of the machine that wrote them. */
const MAGIC = 'mastra-tool-search index';
const ORDER = 0x01020304;
const KEY = 64;
const SUM = 32;
/** Bytes before the parts: the above, a key, a checksum of all that follows it, and the length of each part. */
const SUM_AT = MAGIC.length + 4 + KEY;
const LENGTHS_AT = SUM_AT + SUM;
const HEADER = LENGTHS_AT + 4 * PARTS.length;

/** One buffer of all parts, which {@link unpack} takes apart on any machine with the same order of bytes. */
export function pack(key: string, parts: Packed): Uint8Array {
  const chunks = PARTS.map((name) => bytesOf(parts[name]));
  const size = chunks.reduce((sum, { length }) => sum + padded(length), HEADER);
  const bytes = new Uint8Array(size);
  bytes.set(new TextEncoder().encode(MAGIC));
  bytes.set(bytesOf(Uint32Array.of(ORDER)), MAGIC.length);
  bytes.set(new TextEncoder().encode(key), MAGIC.length + 4);
  bytes.set(bytesOf(Uint32Array.from(chunks, ({ length }) => length)), LENGTHS_AT);
  let at = HEADER;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += padded(chunk.length);
  }
  bytes.set(sumOf(bytes), SUM_AT);
  return bytes;
}

/**
 * The parts of a buffer.
 *
 * @throws BadBytes where it is none, was written for another key, or has changed since.
 */
export function unpack(saved: unknown, key: string): Packed {
  if (!(saved instanceof Uint8Array)) throw new BadBytes('what was saved is no Uint8Array');
  // Not a Buffer, whose slices are no copies.
  const bytes = new Uint8Array(saved.buffer, saved.byteOffset, saved.byteLength);
  const text = (start: number, length: number): string =>
    new TextDecoder().decode(bytes.subarray(start, start + length));
  if (bytes.length < HEADER || text(0, MAGIC.length) !== MAGIC) throw new BadBytes('these bytes are no saved index');
  // A copy begins where numbers may stand, and later changes of the bytes do not reach it.
  const numbers = (start: number, length: number): ArrayBuffer =>
    bytes.slice(start, start + length).buffer as ArrayBuffer;
  if (new Uint32Array(numbers(MAGIC.length, 4))[0] !== ORDER)
    throw new BadBytes('the saved index comes from a machine with another order of bytes');
  if (text(MAGIC.length + 4, KEY) !== key)
    throw new BadBytes(
      'the saved index is that of other tools, of another version of the package, or of another Node.js',
    );
  const lengths = new Uint32Array(numbers(LENGTHS_AT, 4 * PARTS.length));
  const size = lengths.reduce((sum, length) => sum + padded(length), HEADER);
  if (size !== bytes.length || !sumOf(bytes).every((byte, at) => byte === bytes[SUM_AT + at]))
    throw new BadBytes('the saved index is damaged');
  let at = HEADER;
  const parts = PARTS.map((name, part) => {
    const length = lengths[part] ?? 0;
    const kind = KINDS[name];
    if (length % new kind(new ArrayBuffer(0)).BYTES_PER_ELEMENT !== 0) throw new BadBytes('the saved index is damaged');
    const numbersOfPart = new kind(numbers(at, length));
    at += padded(length);
    return [name, numbersOfPart] as const;
  });
  return Object.fromEntries(parts) as unknown as Packed;
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A multiple of 4. */
function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function sumOf(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes.subarray(LENGTHS_AT)).digest();
}
