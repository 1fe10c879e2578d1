import type { Agent } from '@mastra/core/agent';
import { approve, decline, type Ended, resume, say } from '../native/rig/rig.ts';
import { lastToolResult, toolNames, userText } from '../support/scripted-model.ts';
import { type App, CALL_MODE, type Settings } from './app.ts';
import { type Case, casesAt, type Outcome } from './cases.ts';

/** Starts a turn of each case, that loads the tool, calls it, and then waits. */
export async function suspendAll(app: App, settings: Settings): Promise<Ended[]> {
  const suspended = await Promise.all(
    casesAt(settings.latency).map(async (one) => {
      const ended = await say(app.agents[one.catalog], one.mode, `use ${one.tool} for ${one.id}`, turn(one));
      if (ended.waiting) return ended;
      throw new Error(`${one.id} did not wait but ended: ${JSON.stringify(ended)}`);
    }),
  );
  // A stream may end before the wait is in the database.
  const missing = new Set(suspended.map(({ waiting }) => waiting?.runId));
  while (missing.size > 0) {
    for (const agent of Object.values(app.agents)) {
      const { runs } = await agent.listSuspendedRuns();
      for (const { runId } of runs) missing.delete(runId);
    }
  }
  return suspended;
}

/** Goes on with all of them, in any process over the same database. */
export function goOnAll(app: App, settings: Settings, suspended: readonly Ended[]): Promise<Outcome[]> {
  const all = casesAt(settings.latency);
  return Promise.all(all.map((one, position) => goOn(app, settings, one, suspended[position] as Ended)));
}

/** Goes on with a turn that waits, and after an approval starts the thread's next one. */
async function goOn(app: App, { kind, store }: Settings, one: Case, waits: Ended): Promise<Outcome> {
  const agent: Agent = app.agents[one.catalog];
  const before = app.model.calls.length;
  const goingOn = {
    approve: () => approve(agent, one.mode, waits),
    decline: () => decline(agent, one.mode, waits),
    resume: () => resume(agent, one.mode, waits, { answer: 'yes' }, kind),
  };
  const { text } = await goingOn[one.action]();
  const steps = app.model.calls.slice(before).filter(({ prompt }) => userText(prompt).endsWith(` ${one.id}`));
  if (one.action === 'approve') await agent.generate(`and now, ${one.id}?`, turn(one));
  const next = app.model.calls.find(({ prompt }) => userText(prompt) === `and now, ${one.id}?`);
  return {
    id: one.id,
    runs: app.ran.filter((run) => run.case === one.id).length,
    result: lastToolResult(steps[0]?.prompt ?? [], store === CALL_MODE ? 'call_tool' : one.tool)?.value,
    sent: steps.map(toolNames),
    ...(next ? { nextTurn: toolNames(next) } : {}),
    text,
    denied: app.refused.filter((name) => name === one.tool),
  };
}

const turn = (one: Case): object => ({ memory: { thread: one.id, resource: 'ann' } });
