import { isClients } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Policy } from '../filter/permissions.ts';
import type { LoadingCalls } from '../loaded/conversation/conversation.ts';
import type { Registry } from '../loaded/registry.ts';
import { policyOf } from '../mastra/approvals.ts';
import { isLegacy } from '../mastra/wrapped-model.ts';
import type { Forms } from '../meta-tools/forms.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { createMetaTool, duringCall, type MetaToolParts, objectSchema, TEXT, TEXTS } from '../meta-tools/meta-tool.ts';
import type { ResolvedMetaTools } from '../meta-tools/options.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { CompleteResult, SearchTool } from '../meta-tools/search-tool.ts';
import { isSelection } from '../scorers/words/query.ts';
import { activeEntries, entriesOf, type ModeTools, type Step } from '../step/step.ts';
import { cleanName } from '../util/text.ts';
import { describe, unlikelyOf } from './call/definitions.ts';
import { type Caller, ProgramCalls } from './code/calls.ts';
import { type Declare, declarer } from './code/declarations.ts';
import type { ResolvedCode } from './code/options.ts';
import { CALL, type ProgramResult, runProgram, SEARCH } from './code/program.ts';
import { sentTools, withoutSpent } from './load.ts';
import type { Mode, StepMode } from './mode.ts';

export interface CodeParts {
  readonly loader: Loader;
  readonly forms: Forms;
  readonly learnerOf: MetaToolParts['learnerOf'];
  readonly searchTool: SearchTool;
  readonly registry: Registry;
  readonly policy: Policy;
  readonly groups: Groups;
  readonly reporter: Reporter;
  readonly loadingTools: LoadingCalls;
}

const PARAMETERS = objectSchema<'code'>({ code: { ...TEXT, description: prompts.programParameter } }, ['code']);
const RESULT = objectSchema<keyof ProgramResult>(
  { success: { type: 'boolean' }, result: {}, logs: TEXTS, error: { type: 'object' }, message: TEXT },
  ['success'],
);

/**
 * Code mode: the model writes programs that call found tools as functions. These tools are not loaded, so the tools of a step
 * stay the same. A tool that cannot run in a program is loaded, and called as in load mode.
 */
export class CodeMode implements Mode {
  readonly #parts: CodeParts;
  readonly #options: ResolvedCode;
  readonly #mode: StepMode;

  constructor(parts: CodeParts, options: ResolvedCode, { names }: ResolvedMetaTools) {
    const { id } = options;
    const { search } = names;
    this.#parts = parts;
    this.#options = options;
    this.#mode = {
      names: { search, load: id },
      autoLoad: false,
      loadsWeak: true,
      reportsWithResults: true,
      loadsForced: true,
      bridge: id,
      catalogIntro: prompts.codeCatalogIntro(search, id),
      found: (count, fits) => prompts.foundForProgram(count, id, fits),
      missed: (name) => prompts.calledOutsideProgram(name, id),
      select: (selected, step) =>
        describe(selected, step, parts.groups, parts.loader, (count) => prompts.declaredForProgram(count, id)),
      metaNames: [search, id],
      mandatory: [id],
      searches: true,
      systemText: () => prompts.codeSystemText(search, id),
      noteFinds: (step) => this.#readLoaded(step),
      moreTexts: (step) => [prompts.declaredAtOnce(this.#atOnce(step), id)],
      send: (step, pinned) => this.#send(step, pinned),
    };
  }

  /** Declines legacy models, with which Mastra supports no approvals. */
  open(step: Step): StepMode | undefined {
    return isLegacy(step.args.model) ? undefined : this.#mode;
  }

  /** Reads the loaded tools, which the model calls directly. Preselected tools are only declared as functions. */
  async #readLoaded(step: Step): Promise<void> {
    const { state, catalog, calls, args, permissions, tools } = step;
    const known = args.messages || args.messageList ? calls : undefined;
    tools.add('loaded', await this.#parts.registry.entries(state, catalog, known, args, permissions));
  }

  /** The declarations of pinned and preselected tools. */
  #atOnce(step: Step): readonly string[] {
    const declare = declarer(this.#options.schemaTokens);
    const entries = entriesOf(step.tools.namesOf(['pinned', 'preselected']), step);
    return entries.map((given) => {
      const entry = this.#parts.loader.ready(given, step) ?? given;
      // Text that a client wrote must not become system text.
      return isClients(entry) ? `// ${cleanName(entry.name)}` : declare(entry);
    });
  }

  async #send(step: Step, pinned: Readonly<Record<string, unknown>>): Promise<ModeTools> {
    const { loader, searchTool } = this.#parts;
    const { id } = this.#options;
    step.tools.unload(step.tools.namesOf(['preselected']));
    const direct = activeEntries(step).filter((entry) => !loader.withholds(loader.ready(entry, step) ?? entry, step));
    const sent = { ...pinned, ...this.#parts.forms.byName(direct, step) };
    const searching = searchTool.create(step, prompts.codeSearchDescription(id), this.#complete);
    const searches = withoutSpent<object>({ [this.#mode.names.search]: searching }, step);
    const running = await this.#runTool(step, { ...step.own, ...pinned });
    return sentTools({ ...searches, [id]: running }, sent, step);
  }

  /** Replaces the signatures of results by declarations of functions. */
  readonly #complete: CompleteResult = (result, { query }, step) => {
    const declare: Declare = declarer(this.#options.schemaTokens);
    const isSelected = query.some(isSelection);
    const isUnlikely = unlikelyOf(result.results, isSelected);
    const results = result.results.map(({ signature: _, ...found }, at) => {
      const entry = step.catalog.get(found.name);
      if (!entry) return found;
      const ready = this.#parts.loader.ready(entry, step);
      const hasTypes = ready !== undefined && !isUnlikely(found);
      return { ...found, declaration: declare(ready ?? entry, hasTypes, isSelected && at === 0) };
    });
    return { ...result, results };
  };

  /** @param resident - the other tools that the step sends. Programs may call these too. */
  async #runTool(step: Step, resident: Readonly<Record<string, unknown>>): Promise<MastraTool> {
    const { id } = this.#options;
    const { search } = this.#mode.names;
    const known = await policyOf(step.args, step.received.isDurable !== false);
    const { toolChoice } = step.args;
    const mayCall = toolChoice !== 'none' && (toolChoice as { readonly type?: unknown } | undefined)?.type !== 'none';
    return createMetaTool<{ readonly code: string }, ProgramResult>({
      name: id,
      description: prompts.codeDescription(search),
      parameters: PARAMETERS,
      result: RESULT,
      read: ({ code, program }) => {
        const text = code ?? program;
        return { code: typeof text === 'string' ? withoutFence(text) : '' };
      },
      execute: async ({ code }, context) => {
        if (!mayCall) return { success: false, message: prompts.notChosen() };
        if (code.trim() === '') return { success: false, message: prompts.emptyProgram(id) };
        const current = duringCall(step, context, this.#parts.loadingTools);
        const caller: Caller = { step: current, context, resident, policy: known, search };
        const calls = new ProgramCalls(this.#parts, caller);
        return runProgram(
          code,
          this.#options,
          search,
          (name, value, place, signal) => {
            if (name === SEARCH) return this.#searchIn(value, current, context);
            if (name !== CALL) return calls.call(name, false, value, place, signal);
            const { name: tool, input: args } = (value ?? {}) as { readonly name?: unknown; readonly input?: unknown };
            return calls.call(String(tool ?? ''), true, args, place, signal);
          },
          context?.abortSignal,
        );
      },
    });
  }

  /** Runs a search that a program calls. */
  #searchIn(input: unknown, step: Step, context: ToolContext | undefined): Promise<unknown> {
    const tool = this.#parts.searchTool.create(step, '', this.#complete);
    return tool.execute?.(input as never, (context ?? {}) as never) as Promise<unknown>;
  }
}

/** Removes the Markdown fence that models write around a program. */
function withoutFence(text: string): string {
  return /^\s*```[a-z]*\r?\n([\s\S]*?)\n?```\s*$/i.exec(text)?.[1] ?? text;
}
