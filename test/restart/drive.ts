import { lastToolResult, toolNames, userText } from '../support/scripted-model.ts';
import { type App, CALL_MODE, type Settings } from './app.ts';
import { type Case, casesAt, type Outcome, type Suspended } from './cases.ts';

interface FullOutput {
  readonly runId?: string;
  readonly text: string;
  readonly finishReason?: string;
  readonly suspendPayload?: unknown;
}

interface Output {
  readonly runId: string;
  readonly text: Promise<string>;
  consumeStream(): Promise<void>;
  getFullOutput(): Promise<FullOutput>;
}

interface Target {
  readonly runId: string;
  readonly toolCallId: string;
}

/** What both kinds of agent have, as it is called here. `resumeGenerate` differs in its parameters. */
interface Drivable {
  generate(messages: string, options: object): Promise<FullOutput>;
  stream(messages: string, options: object): Promise<Output & { readonly output?: Output }>;
  approveToolCall(target: Target): Promise<Output>;
  approveToolCallGenerate(target: Target): Promise<FullOutput>;
  declineToolCall(target: Target & { reason: string }): Promise<Output>;
  declineToolCallGenerate(target: Target & { reason: string }): Promise<FullOutput>;
  resumeStream(data: object, target: Target): Promise<Output>;
  resumeGenerate(...args: readonly unknown[]): Promise<FullOutput>;
}

/** Starts a turn of each case, that loads the tool, calls it, and then waits. */
export async function suspendAll(app: App, settings: Settings): Promise<Suspended[]> {
  const suspended = await Promise.all(casesAt(settings.latency).map((one) => suspend(app, settings, one)));
  // A stream may end before the wait is in the database.
  const missing = new Set(suspended.map(({ runId }) => runId));
  while (missing.size > 0) {
    for (const agent of Object.values(app.agents)) {
      const { runs } = await agent.listSuspendedRuns();
      for (const { runId } of runs) missing.delete(runId);
    }
  }
  return suspended;
}

async function suspend(app: App, settings: Settings, one: Case): Promise<Suspended> {
  const agent = app.agents[one.catalog] as unknown as Drivable;
  const text = `use ${one.tool} for ${one.id}`;
  let full: FullOutput;
  if (one.mode === 'generate') full = await agent.generate(text, turn(one));
  else {
    const options = settings.kind === 'Agent' ? turn(one) : { ...turn(one), closeOnSuspend: true };
    const stream = await agent.stream(text, options);
    full = { runId: stream.runId, ...(await (stream.output ?? stream).getFullOutput()) };
  }
  if (full.finishReason !== 'suspended') throw new Error(`${one.id} did not wait but ended: ${JSON.stringify(full)}`);
  const { toolCallId } = full.suspendPayload as { toolCallId: string };
  return { id: one.id, runId: full.runId ?? '', toolCallId };
}

/** Goes on with all of them, in any process over the same database. */
export function goOnAll(app: App, settings: Settings, suspended: readonly Suspended[]): Promise<Outcome[]> {
  const all = casesAt(settings.latency);
  return Promise.all(all.map((one, position) => goOn(app, settings, one, suspended[position] as Suspended)));
}

/** Goes on with a turn that waits, and after an approval starts the thread's next one. */
async function goOn(app: App, settings: Settings, one: Case, { runId, toolCallId }: Suspended): Promise<Outcome> {
  const agent = app.agents[one.catalog] as unknown as Drivable;
  const before = app.model.calls.length;
  const text = await finish(agent, settings, one, { runId, toolCallId });
  const steps = app.model.calls.slice(before).filter(({ prompt }) => userText(prompt).endsWith(` ${one.id}`));
  if (one.action === 'approve') await agent.generate(`and now, ${one.id}?`, turn(one));
  const next = app.model.calls.find(({ prompt }) => userText(prompt) === `and now, ${one.id}?`);
  return {
    id: one.id,
    runs: app.ran.filter((run) => run.case === one.id).length,
    result: lastToolResult(steps[0]?.prompt ?? [], settings.store === CALL_MODE ? 'call_tool' : one.tool)?.value,
    sent: steps.map(toolNames),
    ...(next ? { nextTurn: toolNames(next) } : {}),
    text,
    denied: app.refused.filter((name) => name === one.tool),
  };
}

async function finish(agent: Drivable, { kind }: Settings, one: Case, target: Target): Promise<string> {
  const isStream = one.mode === 'stream';
  const whole = async (output: Output): Promise<FullOutput> => ({ text: await output.text });
  if (one.action === 'resume') {
    const data = { answer: 'yes' };
    if (isStream) return (await whole(await agent.resumeStream(data, target))).text;
    const { runId, toolCallId } = target;
    const args = kind === 'Agent' ? [data, target] : [runId, data, { toolCallId }];
    return (await agent.resumeGenerate(...args)).text;
  }
  if (one.action === 'decline') {
    const declined = { ...target, reason: 'Too much.' };
    if (isStream) return (await whole(await agent.declineToolCall(declined))).text;
    return (await agent.declineToolCallGenerate(declined)).text;
  }
  if (isStream) return (await whole(await agent.approveToolCall(target))).text;
  return (await agent.approveToolCallGenerate(target)).text;
}

const turn = (one: Case): object => ({ memory: { thread: one.id, resource: 'ann' } });
