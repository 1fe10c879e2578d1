// The new process: is sent what waits, goes on with it, and sends back what came of it.
import { answerParent } from '../support/new-process.ts';
import { openApp } from './app.ts';
import type { Job, Place } from './cases.ts';

answerParent(async ({ place, jobs }: { readonly place: Place; readonly jobs: readonly Job[] }) => {
  const app = await openApp(
    place,
    jobs.map(({ one }) => one),
  );
  return app.goOn(jobs);
});
