// The new process: is sent what waits, goes on with it, and sends back what came of it.
import { createApp, type Settings } from './app.ts';
import type { Outcome, Phase, Suspended } from './cases.ts';
import { goOnIn } from './matrix.ts';

/** What waits in one database. */
export interface Job {
  readonly settings: Settings;
  readonly suspended: readonly Suspended[];
  readonly withdrawn: Readonly<Record<string, Phase>>;
}

export type Report = { readonly outcomes: readonly Outcome[][] } | { readonly error: string };

async function work(jobs: readonly Job[]): Promise<Report> {
  try {
    const outcomes = await Promise.all(
      jobs.map(async (job) => {
        const app = await createApp(job.settings);
        const came = await goOnIn(app, job);
        await app.close();
        return came;
      }),
    );
    return { outcomes };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.once('message', (jobs: readonly Job[]) => {
  void work(jobs).then((report) => process.send?.(report, () => process.exit(0)));
});
