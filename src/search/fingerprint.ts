import { hash } from 'node:crypto';
import type { ToolDocument } from '../catalog/document.ts';

const fingerprints = new WeakMap<ToolDocument, string>();

/** A fingerprint of a document. It is cryptographic, so that nobody can write a tool that passes for another. */
export function fingerprint(document: ToolDocument): string {
  const cached = fingerprints.get(document);
  if (cached !== undefined) return cached;
  const made = hash('sha256', JSON.stringify(document), 'base64');
  fingerprints.set(document, made);
  return made;
}
