import { hash } from 'node:crypto';
import type { ToolDocument } from '../catalog/document.ts';

const fingerprints = new WeakMap<ToolDocument, string>();

/** A cryptographic one: who writes a tool must not be able to make it pass for another. */
export function fingerprint(document: ToolDocument): string {
  const known = fingerprints.get(document);
  if (known !== undefined) return known;
  const made = hash('sha256', JSON.stringify(document), 'base64');
  fingerprints.set(document, made);
  return made;
}
