import type { MatchExplanation } from '../kit.ts';
import type { ReadCase } from '../workbench/evaluate/cases.ts';
import type { ScorerEvaluation } from '../workbench/evaluate/measure.ts';
import type { LintFinding } from '../workbench/lint/check.ts';
import type { Funnel } from '../workbench/usage.ts';

/**
 * The data of the inspector's page: plain JSON. The page computes rankings, figures and tokens itself, so that a file shows the
 * same as a server. Any text in the data may be hostile.
 */
export interface InspectData {
  /** The name of the catalog in the header of the page. */
  readonly title: string;
  readonly tools: readonly InspectTool[];
  /** When the page was made, in ISO 8601. */
  readonly date?: string;
  /** Cases with their ids; their tools have the names of `tools`. */
  readonly cases?: readonly ReadCase[];
  /** The results of scorers when a baseline was saved. */
  readonly baseline?: readonly ScorerEvaluation[];
  /** The findings of `lint`; absent if the page asks the server for them. */
  readonly findings?: readonly LintFinding[];
  /** The funnel of a log. The page asks the server for that of a live processor: `server.hasStats`. */
  readonly funnel?: Funnel;
  /** The scorers to choose from, at least one; the first is the agent's own, else the default one. */
  readonly scorers: readonly InspectScorer[];
  /** Number of results that the model is shown. */
  readonly topK: number;
  /** The processor's mode, if it has flaws of its own; absent for load mode. */
  readonly mode?: 'call' | 'native';
  /** The processor's `search.minConfidence`; absent if it is 0. */
  readonly minConfidence?: number;
  /** What the server answers to a POST at the page's own address; absent in a file, which has no server. */
  readonly server?: InspectServer;
}

/** A tool of the catalog as it is sent to the model, and what else a search reads. */
export interface InspectTool {
  /** The name the model calls; unique. */
  readonly name: string;
  /** The whole description; empty if there is none. */
  readonly description: string;
  /** The JSON schema of the input; absent if the tool has none, or an unreadable one. */
  readonly inputSchema?: unknown;
  readonly title?: string;
  /** The tool's MCP server, or else its group. */
  readonly group?: string;
  /** Words for searches only, from the tool's author and from `search.keywords`. */
  readonly keywords?: readonly string[];
  /** Search hints of the tool's MCP server. */
  readonly hints?: readonly string[];
  /** The instructions of the tool's MCP server, or the description of its group, which apply to all its tools. */
  readonly instructions?: string;
  /** Whether the definition is loaded on demand, and so is missing here. */
  readonly isLazyTool?: true;
  /** Why a part of the tool is missing here. */
  readonly problem?: string;
  /** The tokens of the whole definition, if a part of it is missing here. */
  readonly tokens?: number;
  /** Further data for lint. Absent if there is none. */
  readonly lint?: InspectLint;
}

/**
 * Data of a tool for lint, besides the fields for searches, so that the page checks an edited tool as the server does.
 */
export interface InspectLint {
  /** The name that some providers refuse. */
  readonly originalName?: string;
  /** Whether the input is validated by its JSON schema. */
  readonly isJsonSchema?: true;
  /** The other parts of the definition, such as the annotations. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** A scorer that the page can show. */
export interface InspectScorer {
  /** Unique in the page; what a `search` names. */
  readonly name: string;
  /** Whether the page itself has the scorer: `words and meaning` or `bm25`, without options. The server runs the others. */
  readonly isLocal: boolean;
}

/** What the server of a page can answer. */
export interface InspectServer {
  /** Whether the server answers `search`. */
  readonly canSearch: boolean;
  /** Whether the server answers `permitted`, and a `search` in the name of a user. */
  readonly canFilter: boolean;
  /** Whether the server answers `stats`. */
  readonly hasStats: boolean;
  /** Why the page has no tools: the error of the function that provides them. */
  readonly fault?: string;
  /** How often the catalog was replaced, to compare with the answer to `revision`; absent if it never is. */
  readonly revision?: number;
}

/** The query parameter with which a GET requests the table of word vectors. */
export const VECTORS = 'vectors';

/** The questions of the page, sent as JSON in a POST to its own address, and their answers. */
export interface InspectQuestions {
  /** Searches with a scorer of the server; with a request context, only what that user may see. */
  readonly search: {
    readonly asked: { readonly query: string; readonly scorer: string; readonly requestContext?: JsonObject };
    readonly answer: InspectSearch;
  };
  /** The tools that the filter permits a user, by phase. */
  readonly permitted: { readonly asked: { readonly requestContext: JsonObject }; readonly answer: InspectPermitted };
  /** The findings of `lint` in the catalog. */
  readonly findings: { readonly asked: object; readonly answer: readonly LintFinding[] };
  /** The funnel of the live processor until now. */
  readonly stats: { readonly asked: object; readonly answer: Funnel };
  /** How often the catalog was replaced until now. */
  readonly revision: { readonly asked: object; readonly answer: number };
  /** Evaluates the cases with a scorer of the server. */
  readonly evaluation: { readonly asked: { readonly scorer: string }; readonly answer: ScorerEvaluation };
  /** The page as one file, which needs no server. */
  readonly file: { readonly asked: object; readonly answer: string };
}

/** A question with its name, as the page sends it. */
export type InspectQuestion = {
  readonly [Name in keyof InspectQuestions]: { readonly ask: Name } & InspectQuestions[Name]['asked'];
}[keyof InspectQuestions];

/** The answer to an invalid or failed question, with a status of 400 or above. */
export interface InspectProblem {
  /** The problem and its remedy. */
  readonly error: string;
}

export interface InspectSearch {
  /** The matches, best first, at most 50. */
  readonly matches: readonly InspectMatch[];
  /** Whether the model would be told that probably nothing fits; absent if the scorer gives no confidence. */
  readonly isWeak?: boolean;
}

export interface InspectMatch {
  readonly name: string;
  readonly score: number;
  readonly confidence?: number;
  /** Absent if the scorer cannot explain, and for matches after the first results. */
  readonly explanation?: MatchExplanation;
  /** The part of the score that past use added. */
  readonly byUse?: number;
}

export interface InspectPermitted {
  /** The names of the tools that the user may find, load and call. */
  readonly search: readonly string[];
  readonly load: readonly string[];
  readonly active: readonly string[];
  /** The user's whole catalog, if it differs from the page's. */
  readonly tools?: readonly InspectTool[];
}

export type JsonObject = { readonly [key: string]: unknown };
