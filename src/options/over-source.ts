import { isToolSource } from '../catalog/tool-source.ts';
import { checkOption } from '../errors.ts';
import { asRecord } from '../util/record.ts';
import type { ToolSearchProcessorOptions } from './options.ts';

/** Why an option, or a part of one, does not go together with a source. */
const REASONS: Readonly<Record<string, string>> = {
  includeResolvedTools: 'ranks its own tools alone, and the tools of the agent are sent',
  injectCatalog: 'is never listed whole; name some tools in alwaysLoaded',
  passthroughBelow: 'is never sent whole; leave small catalogs in the process',
  trustServerHints: 'is never looked through; name the tools in alwaysLoaded',
  'search.scorer': 'ranks its tools itself',
  'search.indexCache': 'has no index in this process',
  'search.keywords': 'ranks its tools itself; give it the keywords',
  'native.execution': "is not searched by the provider; use 'client'",
};

/**
 * Refuses what cannot be done over a source.
 *
 * @throws ToolSearchError `invalid-option`
 */
export function refuseOverSource(options: ToolSearchProcessorOptions): void {
  if (!isToolSource(options.tools)) return;
  for (const [path, reason] of Object.entries(REASONS)) {
    const [option = '', part] = path.split('.');
    const given = (options as Record<string, unknown>)[option];
    const value = part === undefined ? given : asRecord(given)?.[part];
    checkOption(!value || value === 'client', path, value, `left out with a ToolSource, which ${reason}`);
  }
}
