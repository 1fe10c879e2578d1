import type { Agent } from '@mastra/core/agent';
import type { Workspace } from '@mastra/core/workspace';
import type { Groups } from '../catalog/groups.ts';
import type { Reporter } from '../events/reporter.ts';
import { callsOfRun } from '../loaded/conversation/conversation.ts';
import type { RunSettings } from '../mastra/marks.ts';
import { settingsFrom } from '../mastra/proxy-tools.ts';
import { type Loader, resolveNames } from '../meta-tools/loading.ts';
import type { FoundSkill } from '../meta-tools/meta-tool.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { StepMode } from '../modes/mode.ts';
import { bm25Scorer } from '../scorers/bm25/bm25.ts';
import type { ToolIndex } from '../scorers/scorer.ts';
import { parseQuery } from '../scorers/words/query.ts';
import type { RequestState } from '../step/request.ts';
import type { Step } from '../step/step.ts';
import { flag, type Option } from '../util/check.ts';
import { Lru } from '../util/lru.ts';
import { Memory } from '../util/memory.ts';
import { asRecord } from '../util/record.ts';
import { cleanName, describeTool } from '../util/text.ts';
import { inTime } from '../util/timeout.ts';
import type { Feature } from './feature.ts';

export const skillsOption: Option<boolean> & { readonly default: false } = { default: false, check: flag };

/** The name of Mastra's tool that activates a skill. */
const ACTIVATE = 'skill';
/** Limits: skills that one answer names, and tools that one skill loads. */
const MAX_FOUND = 2;
const MAX_TOOLS = 50;
/** Limit of the skills that are searched. */
const MAX_SKILLS = 500;
/** Milliseconds for which the tools that a SKILL.md file names are cached. */
const FRESH = 30_000;

/** The fields of a Mastra skill that are read. */
interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path?: string | undefined;
  readonly metadata?: unknown;
}

/** Where the skills of an agent come from: the agent, or its workspace. */
interface Place {
  readonly owner: object;
  list(): Promise<readonly Skill[]>;
  get(name: string): Promise<Skill | null>;
  readonly readFile: (file: string) => Promise<unknown>;
}

/**
 * The option `skills`: an activated skill loads the tools that it names, and a search names the skills that match. The
 * skills are those that the agent lists, with those of its workspace.
 */
export class Skills implements Feature {
  readonly #loader: Loader;
  readonly #groups: Groups;
  readonly #reporter: Reporter;
  readonly #timeout: number;
  /** The ids of activating calls that were already handled. */
  readonly #seen = new Memory<Set<string>, RequestState>(() => new Set());
  /** The tools that SKILL.md files name, by agent and path. */
  readonly #written = new WeakMap<object, Lru<{ readonly names: readonly string[]; readonly readAt: number }>>();
  readonly #indexes = new Lru<ToolIndex>(20);

  /** @param timeout - milliseconds for each question to the agent or its workspace. */
  constructor(
    parts: { readonly loader: Loader; readonly groups: Groups; readonly reporter: Reporter },
    timeout: number,
  ) {
    this.#loader = parts.loader;
    this.#groups = parts.groups;
    this.#reporter = parts.reporter;
    this.#timeout = timeout;
  }

  /** Loads the tools of skills that the run has activated. Each activation is handled once. */
  async active(step: Step, mode: StepMode): Promise<void> {
    if (mode.bridge) return;
    const seen = this.#seen.of(step.state);
    for (const { id, toolName, state, args } of callsOfRun(step.calls)) {
      if (toolName !== ACTIVATE || state !== 'result' || id === undefined || seen.has(id)) continue;
      seen.add(id);
      const name = asRecord(args)?.['name'];
      if (typeof name !== 'string') continue;
      const place = await this.#ask(step, () => this.#placeOf(step));
      const skill = place && (await this.#ask(step, () => place.get(name)));
      if (skill) await this.#load(skill, place, step);
    }
  }

  async #load(skill: Skill, place: Place, step: Step): Promise<void> {
    const names = await this.#toolsOf(skill, place);
    if (names.length === 0) return;
    const start = performance.now();
    const { loaded, alreadyLoaded, notFound, leftOut, failed } = await this.#loader.byName(names, step);
    this.#reporter.report(
      {
        ...{ type: 'load', by: 'skill', loaded, alreadyLoaded, notFound, denied: [] },
        ...(leftOut.length > 0 ? { noRoom: leftOut } : {}),
        ...(failed.length > 0 ? { failed } : {}),
        ms: performance.now() - start,
      },
      step.origin,
    );
    if (loaded.length + alreadyLoaded.length === 0) return;
    const sentence = prompts.broughtBySkill(skill.name, [...loaded, ...alreadyLoaded]);
    if (!step.state.hints.includes(sentence)) step.state.hints.push(sentence);
  }

  /** The skills that match the queries, each with the tools of the skill that the request may find. Never rejects. */
  async skillsFor(queries: readonly string[], step: Step): Promise<readonly FoundSkill[]> {
    const parsed = queries.map(parseQuery).filter((query) => !query.select && query.keywords.length > 0);
    const place = parsed.length > 0 ? await this.#ask(step, () => this.#placeOf(step)) : undefined;
    if (!place) return [];
    const listed = await this.#ask(step, () => place.list());
    const skills = new Map((listed ?? []).slice(0, MAX_SKILLS).map((skill) => [skill.name, skill as Skill]));
    if (skills.size === 0) return [];
    const index = await this.#indexOf([...skills.values()]);
    const found = new Set<Skill>();
    for (const query of parsed)
      for (const { name } of (await index.search(query)).slice(0, MAX_FOUND)) {
        const skill = skills.get(name);
        if (skill) found.add(skill);
      }
    return Promise.all(
      [...found].slice(0, MAX_FOUND).map(async (skill) => {
        const names = await this.#toolsOf(skill, place);
        const entries = await resolveNames(names, step, ['search'], this.#groups);
        const tools = [...new Set(entries.flat().map(({ name }) => name))];
        return { name: cleanName(skill.name), description: describeTool(skill.description), tools };
      }),
    );
  }

  async #indexOf(skills: readonly Skill[]): Promise<ToolIndex> {
    const documents = skills.map(({ name, description }) => {
      return { name, description, title: '', server: '', keywords: [], parameters: [] };
    });
    const key = JSON.stringify(documents);
    const index = this.#indexes.get(key) ?? (await bm25Scorer().index(documents));
    this.#indexes.set(key, index);
    return index;
  }

  /**
   * Returns the tools that a skill names in its `metadata`, or else in the frontmatter of its SKILL.md. The file is
   * read, because Mastra drops this field of the frontmatter.
   */
  async #toolsOf(skill: Skill, { owner, readFile }: Place): Promise<readonly string[]> {
    const given = asRecord(skill.metadata)?.['allowed-tools'];
    if (given !== undefined) return namesIn(given);
    if (skill.path === undefined) return [];
    const written = this.#written.get(owner) ?? new Lru(MAX_SKILLS);
    this.#written.set(owner, written);
    const known = written.get(skill.path);
    if (known && Date.now() - known.readAt < FRESH) return known.names;
    const file = `${skill.path.replace(/\/SKILL\.md$/, '')}/SKILL.md`;
    // A skill that is defined in code has no file.
    const text = await inTime(readFile(file), this.#timeout).catch(() => '');
    const names = allowedIn(String(text ?? ''));
    written.set(skill.path, { names, readAt: Date.now() });
    return names;
  }

  /**
   * Finds the skills of the step's agent. Mastra seldom passes the agent to a processor. Without it, a proxy tool is
   * asked for the settings of its run: the Mastra instance, which lists the agent, and the workspace.
   */
  async #placeOf(step: Step): Promise<Place | undefined> {
    const { requestContext } = step.args;
    const context = requestContext ? { requestContext } : {};
    const settings = step.args.agent ? undefined : await settingsFrom(step.received.registered, requestContext);
    const agent = step.args.agent ?? agentIn(settings);
    const workspaceOf = async (): Promise<Workspace | undefined> =>
      agent ? agent.getWorkspace(context) : (settings?.workspace as Workspace | undefined);
    const readFile = async (file: string): Promise<unknown> => {
      const workspace = await workspaceOf();
      return workspace?.filesystem?.readFile(file, { encoding: 'utf8' }) ?? '';
    };
    if (agent) {
      const list = (): Promise<readonly Skill[]> => agent.listSkills(context);
      return { owner: agent, list, get: (name) => agent.getSkill(name, context), readFile };
    }
    const workspace = await workspaceOf();
    const skills = workspace?.skills;
    if (!workspace || !skills) return undefined;
    const scoped = async (): Promise<typeof skills> => (await skills.getScoped?.(context)) ?? skills;
    return {
      ...{ owner: workspace, readFile },
      list: async () => (await scoped()).list(),
      get: async (name) => (await scoped()).get(name),
    };
  }

  async #ask<Value>(step: Step, task: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await inTime(task(), this.#timeout);
    } catch (error) {
      this.#reporter.report({ type: 'skills-failed', error }, step.origin);
      return undefined;
    }
  }
}

function agentIn(settings: RunSettings | undefined): Agent | undefined {
  const agents: readonly Agent[] = Object.values(settings?.mastra?.listAgents?.() ?? {});
  return agents.find(({ id }) => id === settings?.agentId);
}

/** The value of `allowed-tools` in the frontmatter: a text or a list of YAML, on the same line or on the lines below. */
function allowedIn(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const end = lines.indexOf('---', 1);
  const at = lines.findIndex((line) => ALLOWED.test(line));
  if (lines[0] !== '---' || at < 0 || at > end) return [];
  const [first = '', ...below] = lines.slice(at, end).map((line) => line.replace(/(^|\s)#.*$/, ''));
  const length = below.findIndex((line) => /^[^\s\]-]/.test(line));
  const more = (length < 0 ? below : below.slice(0, length)).map((line) => line.replace(/^\s*-\s/, ' '));
  const value = first.replace(ALLOWED, '').replace(/^\s*[|>][+\d-]*\s*$/, '');
  return namesIn([value, ...more].join(' ').replace(/[[\]]/g, ' '));
}

const ALLOWED = /^(["']?)allowed-tools\1\s*:/;

/** Names from an array, or from a text separated by spaces or commas. A restriction such as `(git:*)` is dropped. */
function namesIn(value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [value];
  const names = texts.flatMap((one) => {
    if (typeof one !== 'string') return [];
    return one
      .slice(0, 20_000)
      .replace(/\([^()]*\)/g, ' ')
      .split(/[\s,'"]+/);
  });
  return [...new Set(names)].filter((name) => name !== '').slice(0, MAX_TOOLS);
}
