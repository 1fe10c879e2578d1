import { estimateTokenCount } from 'tokenx';
import { commonLength } from '../../test/support/common-length.ts';
import type { ModelTool } from '../../test/support/scripted-model.ts';

/** What a model received in one call. */
export interface RecordedCall {
  readonly tools: readonly ModelTool[];
  readonly prompt: unknown;
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
          const { tools = [], prompt } = args[0] as Partial<RecordedCall>;
          calls.push({ tools, prompt });
        }
        return value.apply(target, args) as unknown;
      };
    },
  });
  return { model: recorded, calls };
}

/** The estimated tokens of the tool definitions, as they reached the model. */
export function definitionTokens({ tools }: RecordedCall): number {
  return total(tools);
}

/** The same for all the model received: messages and tool definitions. */
export function requestTokens(call: RecordedCall): number {
  return definitionTokens(call) + total(call.prompt as readonly unknown[]);
}

/** The part of a request that equals the one before, from its beginning: tools, then messages. */
export function cachedTokens(call: RecordedCall, before: RecordedCall | undefined): number {
  if (!before) return 0;
  const [text, last] = [call, before].map(({ tools, prompt }) => JSON.stringify([...tools, ...(prompt as unknown[])]));
  return estimateTokenCount((text ?? '').slice(0, commonLength(last ?? '', text ?? '')));
}

function total(parts: readonly unknown[]): number {
  return parts.reduce((sum: number, part) => sum + estimateTokenCount(JSON.stringify(part) ?? ''), 0);
}
