import type { Learning } from '../learning/learning.ts';
import type { Services } from '../meta-tools/step.ts';
import type { ResolvedLearning } from '../options/learning.ts';

/**
 * Loads the code that learns from use, which is a chunk of the package: nobody loads it who does not use the option.
 * Never rejects; where the code is not there, searches go on without.
 */
export async function loadLearning(options: ResolvedLearning, services: Services): Promise<Learning | undefined> {
  try {
    const { Learning } = await import('../learning/learning.ts');
    return new Learning(options, services);
  } catch (error) {
    services.reporter.report({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
    return undefined;
  }
}
