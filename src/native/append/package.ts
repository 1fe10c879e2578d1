import { asRecord, inTime } from '../../kit.ts';
import type { Dialect } from '../dialect.ts';

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
export function sendsDefinitions(model: unknown, dialect: Dialect): Promise<boolean> {
  if (typeof model !== 'object' || model === null) return Promise.resolve(false);
  const answer = answers.get(model) ?? ask(model, dialect);
  answers.set(model, answer);
  return answer;
}

async function ask(model: Askable, dialect: Dialect): Promise<boolean> {
  const nonsense = await errorOf(model, dialect, { type: 'function', name: 7 });
  return nonsense === REFUSED_OPTION && (await errorOf(model, dialect, dialect.probe.tool)) !== REFUSED_OPTION;
}

/** The name of the error with which a package refuses options of its provider. */
const REFUSED_OPTION = 'AI_InvalidArgumentError';

/** The name of the error with which a package refuses a prompt; undefined for none. Never throws. */
async function errorOf(model: Askable, dialect: Dialect, tool: object): Promise<unknown> {
  try {
    const bytes = new Uint8Array([1]);
    const data = model.specificationVersion === 'v4' ? { type: 'data', data: bytes } : bytes;
    const prompt = [
      { role: 'system', content: 'x' },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'system', content: '', providerOptions: { [dialect.name]: dialect.probe.options(tool) } },
      { role: 'user', content: [{ type: 'file', mediaType: 'application/x-nothing', data }] },
    ];
    await inTime(Promise.resolve(model.doGenerate?.({ prompt, abortSignal: AbortSignal.abort() })), MAX_WAIT);
    return undefined;
  } catch (error) {
    return asRecord(error)?.['name'];
  }
}
