/**
 * What this package knows of the inside of Mastra: lines of @mastra/core 1.71.0, and a check that they still do what they
 * did. Call mode and `onMiss: 'run'` need it, and load mode takes their place where the check fails. Load mode itself needs
 * none of it.
 *
 * `hiding.ts`, {@link ActiveTools}: the list of active tools is asked for every tool when the request is made. A
 * DurableAgent asks it before it runs one; traces and errors read its names.
 *
 * ```js
 * // prepareToolsAndToolChoice(), as the request is made
 * const filteredTools = activeTools != null ? Object.entries(tools || {}).filter(([name]) => activeTools.includes(name)) : Object.entries(tools || {});
 * // the step of a DurableAgent that runs a tool
 * const isHiddenByActiveTools = effectiveActiveTools !== void 0 && !effectiveActiveTools.includes(activeToolKey);
 * // getStepAvailableToolNames() and summarizeActiveToolsForSpan()
 * if (activeTools !== void 0) return [...activeTools];
 * if (!Array.isArray(activeTools)) return;
 * ```
 *
 * `hiding.ts`, `hideTool()`: what is no tool of Mastra's own is not copied. A provider's tool goes out by its id alone,
 * and every provider's package leaves an unknown one out. `placeholders.ts`: the tools of a step are read with `Object.entries()`
 * and tested in one go.
 *
 * ```js
 * // createLLMExecutionStep(), after all processors; a DurableAgent does the same with its own record
 * for (const [name, tool] of Object.entries(currentStep.tools)) if (isMastraTool(tool)) convertedTools[name] = makeCoreTool(tool, {
 * else convertedTools[name] = tool;
 * // isMastraTool()
 * return tool instanceof Tool || typeof tool === "object" && tool !== null && MASTRA_TOOL_MARKER in tool;
 * // prepareToolsAndToolChoice(), and isProviderDefinedTool() that it asks
 * if (isProviderDefinedTool(tool$1)) {
 * return (t.type === "provider-defined" || t.type === "provider") && typeof t.id === "string";
 * ```
 *
 * `placeholders.ts`: a call is looked up when the model has ended, by the keys of the step's tools and then by their ids.
 *
 * ```js
 * // the step that runs a call; a DurableAgent looks among all that was registered instead
 * const tool = stepTools?.[inputData.toolName] || findProviderToolByName(stepTools, inputData.toolName) || Object.values(stepTools || {})?.find((t) => `id` in t && t.id === inputData.toolName);
 * const isHiddenByActiveTools = stepActiveTools && toolKey && !stepActiveTools.includes(toolKey);
 * // the mapping of results, for which the tool that was registered before the run is enough
 * const tool = readScoped(scopeCtx, STEP_TOOLS_KEY, "stepTools")?.[toolCall.toolName] ?? rest.tools?.[toolCall.toolName];
 * ```
 *
 * `calls.ts`: input is validated once, behind the approval and within the hooks. `proxy-tools.ts`: the agent's hooks are a
 * method of a copy, and the function that they stand around has no name.
 *
 * ```js
 * // the execute() of a converted tool
 * return async (args, execOptions) => {
 * const { data, error } = validateToolInput(parameters, args, options.name);
 * if (inputValidationSchema || this.injectedInputSchema) markBuilderValidatedInput(toolContext);
 * // the execute() of a Tool
 * const wasBuilderValidated = consumeBuilderValidatedInput(context);
 * const skipInputValidation = isResuming || wasBuilderValidated;
 * // wrapToolWithHooks()
 * execute: async (input, context) => {
 * ```
 *
 * @module
 */
import { MASTRA_TOOL_MARKER } from '../catalog/tool.ts';
import { SILENT } from './calls.ts';
import { ActiveTools } from './hiding.ts';
import { watched } from './marks.ts';
import { PlaceholderTools } from './placeholders.ts';

let checked: Promise<Error | undefined> | undefined;

/**
 * Why tools cannot be run that a step does not send; undefined where they can. Found out once in a process, by a small run
 * of a real agent with a scripted model.
 */
export function internalsFault(): Promise<Error | undefined> {
  checked ??= check().catch((cause: unknown) => fault('a run failed', cause));
  return checked;
}

function fault(what: string, cause?: unknown): Error {
  return new Error(`The inside of @mastra/core has changed: ${what}. Look for a newer mastra-tool-search.`, { cause });
}

/** Runs an agent whose model calls a tool that it was not sent. */
async function check(): Promise<Error | undefined> {
  const { Agent } = await import('@mastra/core/agent');
  const placeholders = new PlaceholderTools('check', 1, 0);
  const visible = ActiveTools.of(undefined, [], ['check']);
  placeholders.showIn(visible);
  let isRun = false;
  const hidden = {
    type: 'function',
    description: '',
    execute: async () => {
      isRun = true;
      return 'ran';
    },
  };
  const found: string[] = [];
  const doStream = async ({
    tools = [],
  }: {
    readonly tools?: readonly { readonly name: string }[];
  }): Promise<object> => {
    const isFirst = found.length === 0;
    found.push(tools.map(({ name }) => name).join(' '));
    if (isFirst && !placeholders.isThere) found.push('places are not there');
    placeholders.empty();
    if (isFirst) placeholders.take('hidden', hidden);
    const call = { type: 'tool-call', toolCallId: 'check', toolName: 'hidden', input: '{}' };
    return { stream: streamOf(isFirst ? [call] : [], isFirst ? 'tool-calls' : 'stop') };
  };
  const agent = new Agent({
    ...{ id: 'mastra-tool-search-check', name: 'check', instructions: '' },
    model: {
      ...{ specificationVersion: 'v2', provider: 'mastra-tool-search', modelId: 'check', supportedUrls: {} },
      doStream,
      doGenerate: doStream,
    } as never,
    inputProcessors: [
      {
        id: 'check',
        processInputStep: async ({ tools }) => {
          const check = { [MASTRA_TOOL_MARKER]: true, id: 'check', description: '', execute: async () => '' };
          return { tools: watched({ check, ...placeholders.tools }, tools), activeTools: visible.list };
        },
      },
    ],
  });
  agent.__setLogger?.(SILENT as never);
  await (await agent.stream('check', { maxSteps: 2 })).consumeStream();
  if (found[0] !== 'check') return fault(`a request had the tools "${found[0]}" in place of "check"`);
  if (found.includes('places are not there')) return fault('tools of a step are read otherwise');
  return isRun ? undefined : fault('a tool is looked up otherwise');
}

function streamOf(parts: readonly object[], finishReason: string): ReadableStream {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      for (const part of parts) controller.enqueue(part);
      controller.enqueue({ type: 'finish', finishReason, usage });
      controller.close();
    },
  });
}
