import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Answer<Value> = { readonly value: Value } | { readonly error: string };

/** Node reads TypeScript by itself from 22.18 on. */
export const READ_TYPESCRIPT: readonly string[] = process.features.typescript
  ? []
  : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];

/** Runs a program in a process of its own, sends it a message and returns what `answerParent` there makes of it. */
export function askNewProcess<Value>(program: URL, message: unknown): Promise<Value> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(program), { execArgv: [...READ_TYPESCRIPT], silent: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += String(data)));
    child.once('message', (answer: Answer<Value>) => {
      child.disconnect();
      if ('value' in answer) resolve(answer.value);
      else reject(new Error(`The new process failed: ${answer.error}`));
    });
    child.once('exit', (code) => reject(new Error(`The new process ended with ${code}:\n${output}`)));
    child.send(message as never);
  });
}

/** Answers the parent's message, and ends when that has read the answer: an end may overtake a message. */
export function answerParent<Message, Value>(work: (message: Message) => Promise<Value>): void {
  const answer = async (message: Message): Promise<Answer<Value>> => {
    try {
      return { value: await work(message) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.once('disconnect', () => process.exit(0));
  process.once('message', async (message: Message) => process.send?.(await answer(message)));
}
