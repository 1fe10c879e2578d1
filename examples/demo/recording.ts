import { estimateTokenCount } from 'tokenx';
import { commonLength } from '../../test/support/common-length.ts';
import {
  isDeferred,
  type ModelTool,
  type Prompt,
  referredTools,
  shownTools,
} from '../../test/support/scripted-model.ts';

/** What a model received in one call. */
export interface RecordedCall {
  readonly tools: readonly ModelTool[];
  readonly prompt: Prompt;
}

/** The model itself, with every call written down as the model received it. */
export function recording<Model extends object>(model: Model): { model: Model; calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const recorded = new Proxy(model, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (property === 'doGenerate' || property === 'doStream') {
          const { tools = [], prompt = [] } = args[0] as Partial<RecordedCall>;
          calls.push({ tools, prompt });
        }
        return value.apply(target, args) as unknown;
      };
    },
  });
  return { model: recorded, calls };
}

/** The estimated tokens of the tool definitions that the model read. */
export function definitionTokens(call: RecordedCall): number {
  return total(shownTools(call));
}

/** The same for all the model received: messages and tool definitions. */
export function requestTokens(call: RecordedCall): number {
  return total(parts(call));
}

/** The part of a request that equals the one before, from its beginning: tools, then messages. */
export function cachedTokens(call: RecordedCall, before: RecordedCall | undefined): number {
  if (!before) return 0;
  const [text, last] = [call, before].map((each) => JSON.stringify(parts(each)));
  return estimateTokenCount((text ?? '').slice(0, commonLength(last ?? '', text ?? '')));
}

/** What the model read, in the order in which it did: a deferred definition stands behind the result that first refers to it. */
function parts({ tools, prompt }: RecordedCall): readonly unknown[] {
  const deferred = new Map(tools.filter(isDeferred).map((tool) => [tool.name, tool]));
  const read = prompt.flatMap((message) => {
    const found = deferred.size === 0 ? [] : [...referredTools([message])].flatMap((name) => deferred.get(name) ?? []);
    for (const { name } of found) deferred.delete(name);
    return [message, ...found];
  });
  return [...tools.filter((tool) => !isDeferred(tool)), ...read];
}

function total(parts: readonly unknown[]): number {
  return parts.reduce((sum: number, part) => sum + estimateTokenCount(JSON.stringify(part) ?? ''), 0);
}
