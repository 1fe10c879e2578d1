import type { NativeDialect } from '../../options/native.ts';
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
 * No package tells its version. So the package is given a prompt with such a definition, and it is watched whether the
 * definition is read. No request leaves: behind it stands a file that every package refuses before it sends anything, and
 * the call is aborted from the beginning.
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
  let isRead = false;
  const [name, change] = dialect === 'anthropic' ? ANTHROPIC_CHANGE : OPENAI_CHANGE;
  const options = Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      isRead = true;
      return [change];
    },
  });
  const bytes = new Uint8Array([1]);
  const data = model.specificationVersion === 'v4' ? { type: 'data', data: bytes } : bytes;
  const prompt = [
    { role: 'system', content: 'x' },
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
    { role: 'system', content: '', providerOptions: { [dialect]: options } },
    { role: 'user', content: [{ type: 'file', mediaType: 'application/x-nothing', data }] },
  ];
  try {
    await inTime(Promise.resolve(model.doGenerate?.({ prompt, abortSignal: AbortSignal.abort() })), MAX_WAIT);
    // What answers such a prompt is no provider's package.
    return false;
  } catch (error) {
    // Packages of Anthropic before 4.0.98 read the changes, and know no definitions in them.
    return isRead && !(error instanceof Error && error.name === 'AI_InvalidArgumentError');
  }
}

const ANTHROPIC_CHANGE = [
  'toolChanges',
  { type: 'tool_addition', tool: { type: 'function', name: 'x', inputSchema: { type: 'object', properties: {} } } },
] as const;
const OPENAI_CHANGE = [
  'additionalTools',
  { type: 'function', name: 'x', parameters: { type: 'object', properties: {} } },
] as const;
