// What users may do: the same for the same user, tool and phase, whenever it is asked.
import type { ToolSearchFilterPhase } from '../../../src/index.ts';
import { randomFrom } from '../speed/random.ts';

/** Shares that are denied. */
const DENIED: Readonly<Record<ToolSearchFilterPhase, number>> = { search: 0.1, load: 0.08, active: 0.06 };

export function isPermitted(user: string, toolName: string, phase: ToolSearchFilterPhase): boolean {
  return shareOf(`${user} ${toolName} ${phase}`) >= DENIED[phase];
}

/** Milliseconds, 0 to 3, that the filter takes to answer. */
export function delayOf(user: string, toolName: string): number {
  return Math.floor(shareOf(`${user} ${toolName}`) * 4);
}

/** From 0 to 1, by a hash of the text (FNV-1a). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return randomFrom(hash)();
}
