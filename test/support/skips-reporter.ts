import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { runsAll } from './breadth.ts';

/** Says in the last line of a run what it skipped and why, and how to run what it left out. */
export class SkipsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = reasonOf(test);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    const skipped = [...reasons].map(([reason, count]) => `${count} tests (${reason})`);
    const parts = [
      skipped.length > 0 ? `Skipped: ${skipped.join(', ')}. Install what is missing to have them.` : 'Nothing skipped.',
      runsAll ? 'Whole products of cases ran.' : 'npm run test:all runs the whole products of cases.',
    ];
    console.log(parts.join(' '));
  }
}

/** The note of the skip, or what the title of a skipped suite says. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? /skipped: ([^>]*)/.exec(test.fullName)?.[1]?.trim() ?? 'without a reason';
}
