// The new process: is sent what waits, goes on with it, and sends back what came of it.
import type { Ended } from '../native/rig/rig.ts';
import { answerParent } from '../support/new-process.ts';
import { createApp, type Settings } from './app.ts';
import type { Outcome, Phase } from './cases.ts';
import { goOnIn } from './matrix.ts';

/** What waits in one database. */
export interface Job {
  readonly settings: Settings;
  readonly suspended: readonly Ended[];
  readonly withdrawn: Readonly<Record<string, Phase>>;
}

async function goOn(job: Job): Promise<readonly Outcome[]> {
  const app = await createApp(job.settings);
  const outcomes = await goOnIn(app, job);
  await app.close();
  return outcomes;
}

answerParent((jobs: readonly Job[]) => Promise.all(jobs.map(goOn)));
