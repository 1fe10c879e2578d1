import type { Services } from '../meta-tools/step.ts';
import type { ResolvedPreselect } from '../options/preselect.ts';
import type { Preselect } from './preselect/preselect.ts';

/**
 * Loads the code of preselect, which is a chunk of the package: nobody loads it who does not use the option. Never
 * rejects; where the code is not there, runs go on without.
 */
export async function loadPreselect(options: ResolvedPreselect, services: Services): Promise<Preselect | undefined> {
  try {
    const { Preselect } = await import('./preselect/preselect.ts');
    return new Preselect(options, services);
  } catch (error) {
    services.reporter.report({ type: 'preselect', tools: [], reason: 'failed', error });
    return undefined;
  }
}
