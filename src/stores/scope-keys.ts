import { createHash } from 'node:crypto';

/** Characters of the longest key; longer ones are replaced by a hash. */
const MAX_LENGTH = 200;

/**
 * The key of a scope: at most 200 characters of printable ASCII without spaces, colons and braces. A scope of such characters
 * is its own key. No two scopes share a key.
 */
export function scopeKey(scope: string): string {
  const key = escapeUnits(scope, /[^!-~]|[%:{}]/g);
  // No escaped scope begins with "%s": an escape is "%" and four hexadecimal digits.
  return key.length <= MAX_LENGTH ? key : `%sha256-${scopeHash(scope)}`;
}

/** The SHA-256 of a scope's UTF-16 units. In UTF-8, all lone surrogates would be equal. */
export function scopeHash(scope: string): string {
  return createHash('sha256').update(scope, 'utf16le').digest('hex');
}

/** Writes the units that match as "%" and four digits. The pattern has to match "%", for `unescapeUnits`. */
export function escapeUnits(text: string, pattern: RegExp): string {
  return text.replace(pattern, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function unescapeUnits(text: string): string {
  return text.replace(/%([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
