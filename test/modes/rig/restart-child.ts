// The new process: is sent what waits, goes on with it, and sends back what came of it.
import { atMost } from '../../support/at-most.ts';
import { answerParent } from '../../support/new-process.ts';
import { goOn, type Job } from './restart-app.ts';

answerParent((jobs: readonly Job[]) => atMost(8, jobs, goOn));
