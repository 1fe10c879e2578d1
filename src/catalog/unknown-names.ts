import { ToolSearchError } from '../errors.ts';
import { similarNames } from '../query/suggest.ts';
import { runToEnd } from '../util/time-slices.ts';
import type { Catalog } from './catalog.ts';

/** @throws ToolSearchError `invalid-option` for a name that none of the constructor's tools is called by. */
export function refuseUnknown(option: string, names: Iterable<string>, catalog: Catalog): void {
  for (const name of names) {
    const known = catalog.get(name)?.name;
    if (known === name) continue;
    const similar = known === undefined ? (runToEnd(similarNames(name, catalog.names))[0] ?? []).slice(0, 3) : [known];
    const hint = similar.length > 0 ? ` Did you mean ${similar.map((other) => `"${other}"`).join(', ')}?` : '';
    throw new ToolSearchError(
      'invalid-option',
      `"${option}" has "${name}", which is none of "tools".${hint} The agent's own tools are always sent and need not be named.`,
    );
  }
}
