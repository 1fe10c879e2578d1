// The new process: is sent what waits, goes on with it, and sends back what came of it.
import { goOn, type Job, type Outcomes } from './restart-app.ts';

export type Report = { readonly outcomes: readonly Outcomes[] } | { readonly error: string };

async function work(jobs: readonly Job[]): Promise<Report> {
  try {
    return { outcomes: await Promise.all(jobs.map(goOn)) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.once('message', (jobs: readonly Job[]) => {
  void work(jobs).then((report) => process.send?.(report, () => process.exit(0)));
});
