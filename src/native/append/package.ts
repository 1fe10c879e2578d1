import type { NativeDialect } from '../../options/native.ts';
import { asRecord } from '../../util/record.ts';
import { inTime } from '../../util/timeout.ts';

/** The longest wait, in milliseconds, for what the user has put around the package. */
const MAX_WAIT = 1000;

/** The part of a model that is asked. */
interface Askable {
  readonly specificationVersion?: string;
  readonly doGenerate?: (call: object) => PromiseLike<unknown>;
}

/** The answers, by model: a package does not change. */
const answers = new WeakMap<object, Promise<boolean>>();

/**
 * Whether the package of a model sends definitions of tools in mid-conversation: `@ai-sdk/anthropic` from 4.0.98,
 * `@ai-sdk/openai` from 4.0.116. Others drop them without a word, or send an empty message that the provider refuses.
 *
 * No package tells its version. So the package is given two prompts, with a definition and with what is none. One that
 * sends definitions refuses the second alone for it. No request leaves: behind each stands a file that every package
 * refuses before it sends anything, and the call is aborted from the beginning.
 *
 * @param model - of a provider whose packages are known; what else would be called is not.
 */
export function sendsDefinitions(model: unknown, dialect: NativeDialect): Promise<boolean> {
  if (typeof model !== 'object' || model === null) return Promise.resolve(false);
  const answer = answers.get(model) ?? ask(model, dialect);
  answers.set(model, answer);
  return answer;
}

async function ask(model: Askable, dialect: NativeDialect): Promise<boolean> {
  const nonsense = await errorOf(model, dialect, { type: 'function', name: 7 });
  return nonsense === REFUSED_OPTION && (await errorOf(model, dialect, VALID[dialect])) !== REFUSED_OPTION;
}

/** The name of the error with which a package refuses options of its provider. */
const REFUSED_OPTION = 'AI_InvalidArgumentError';

const schema = { type: 'object', properties: {} };
const VALID: Readonly<Record<NativeDialect, object>> = {
  anthropic: { type: 'function', name: 'x', inputSchema: schema },
  openai: { type: 'function', name: 'x', parameters: schema },
};

/** The name of the error with which a package refuses a prompt; undefined for none. Never throws. */
async function errorOf(model: Askable, dialect: NativeDialect, tool: object): Promise<unknown> {
  const options =
    dialect === 'anthropic' ? { toolChanges: [{ type: 'tool_addition', tool }] } : { additionalTools: [tool] };
  try {
    const bytes = new Uint8Array([1]);
    const data = model.specificationVersion === 'v4' ? { type: 'data', data: bytes } : bytes;
    const prompt = [
      { role: 'system', content: 'x' },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'system', content: '', providerOptions: { [dialect]: options } },
      { role: 'user', content: [{ type: 'file', mediaType: 'application/x-nothing', data }] },
    ];
    await inTime(Promise.resolve(model.doGenerate?.({ prompt, abortSignal: AbortSignal.abort() })), MAX_WAIT);
    return undefined;
  } catch (error) {
    return asRecord(error)?.['name'];
  }
}
