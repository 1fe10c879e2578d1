import type { MatchExplanation } from '../kit.ts';
import type { ReadCase } from '../workbench/evaluate/cases.ts';
import type { ScorerEvaluation } from '../workbench/evaluate/measure.ts';
import type { LintFinding } from '../workbench/lint/check.ts';
import type { Funnel } from '../workbench/usage.ts';

/**
 * All that the inspector's page is given: plain JSON. Rankings, figures and tokens it works out itself, so that a file
 * shows the same as a server does. Every text in it may be hostile.
 */
export interface InspectData {
  /** Names the catalog, for the head of the page. */
  readonly title: string;
  readonly tools: readonly InspectTool[];
  /** When the page was made, as ISO 8601 has it. */
  readonly date?: string;
  /** Each with its id, and its tools by the names of `tools`. */
  readonly cases?: readonly ReadCase[];
  /** Scorers as they were when a baseline was saved. */
  readonly baseline?: readonly ScorerEvaluation[];
  /** What `lint` finds of the catalog; left out where the server is asked for it. */
  readonly findings?: readonly LintFinding[];
  /** What searches came to, of a log. A live processor's is asked for: `server.hasStats`. */
  readonly funnel?: Funnel;
  /** The scorers to choose from, at least one; the first is the agent's own, else the default one. */
  readonly scorers: readonly InspectScorer[];
  /** Results that the model is shown. */
  readonly topK: number;
  /** The processor's mode, where it has flaws of its own; left out for load mode. */
  readonly mode?: 'call' | 'native';
  /** The processor's `search.minConfidence`; left out where it is 0. */
  readonly minConfidence?: number;
  /** What can be asked with a POST to the page's own address; left out in a file, which has nobody to ask. */
  readonly server?: InspectServer;
}

/** A tool of the catalog as the model is sent it, and what besides that a search reads. */
export interface InspectTool {
  /** The name the model calls; unique. */
  readonly name: string;
  /** Whole; empty where there is none. */
  readonly description: string;
  /** The JSON schema of the input; left out where the tool has none, or one that cannot be read. */
  readonly inputSchema?: unknown;
  readonly title?: string;
  /** The MCP server that it comes from, else its group. */
  readonly group?: string;
  /** Words for searches only, from the tool's author and from `search.keywords`. */
  readonly keywords?: readonly string[];
  /** Words by which its MCP server wants it to be found. */
  readonly hints?: readonly string[];
  /** What its MCP server, or the description of its group, says of all its tools. */
  readonly instructions?: string;
  /** Whether its definition comes on demand, and is not here. */
  readonly isLazyTool?: true;
  /** Why a part of the tool is missing here. */
  readonly problem?: string;
  /** The tokens of the whole definition, where a part of it is missing here. */
  readonly tokens?: number;
  /** What lint reads besides; left out where there is nothing. */
  readonly lint?: InspectLint;
}

/** What lint reads of a tool besides what it is found by: with it, an edited tool is checked in the page as on the server. */
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
  /** Whether the page has it: `words and meaning` or `bm25`, as they are without options. Others are asked for at the server. */
  readonly isLocal: boolean;
}

/** What the server of a page answers. */
export interface InspectServer {
  /** Whether it answers `search`. */
  readonly canSearch: boolean;
  /** Whether it answers `permitted`, and a `search` in the name of a user. */
  readonly canFilter: boolean;
  /** Whether it answers `stats`. */
  readonly hasStats: boolean;
  /** Why the page has no tools: the function that brings them failed. */
  readonly fault?: string;
  /** How often the catalog was replaced, which `revision` answers anew; left out where it never is. */
  readonly revision?: number;
}

/** What the address of the page has behind it where the table of word vectors is asked for, with GET. */
export const VECTORS = 'vectors';

/** What the page asks for, as the JSON of a POST to its own address, and what it is answered. */
export interface InspectQuestions {
  /** Searches with a scorer of the server; with a request context, what that user may see. */
  readonly search: {
    readonly asked: { readonly query: string; readonly scorer: string; readonly requestContext?: JsonObject };
    readonly answer: InspectSearch;
  };
  /** What the filter lets a user through, by phase. */
  readonly permitted: { readonly asked: { readonly requestContext: JsonObject }; readonly answer: InspectPermitted };
  /** What `lint` finds of the catalog. */
  readonly findings: { readonly asked: object; readonly answer: readonly LintFinding[] };
  /** What the searches of the live processor came to until now. */
  readonly stats: { readonly asked: object; readonly answer: Funnel };
  /** How often the catalog was replaced until now. */
  readonly revision: { readonly asked: object; readonly answer: number };
  /** How the cases go with a scorer of the server. */
  readonly evaluation: { readonly asked: { readonly scorer: string }; readonly answer: ScorerEvaluation };
  /** The page as one file, which needs no server. */
  readonly file: { readonly asked: object; readonly answer: string };
}

/** A question with its name, as the page sends it. */
export type InspectQuestion = {
  readonly [Name in keyof InspectQuestions]: { readonly ask: Name } & InspectQuestions[Name]['asked'];
}[keyof InspectQuestions];

/** The answer to what cannot be answered, with a status of 400 or above. */
export interface InspectProblem {
  /** What is wrong, and what to do about it. */
  readonly error: string;
}

export interface InspectSearch {
  /** Best first. At most 50. */
  readonly matches: readonly InspectMatch[];
  /** Whether the model would be told that probably nothing fits; left out where the scorer gives no confidence. */
  readonly isWeak?: boolean;
}

export interface InspectMatch {
  readonly name: string;
  readonly score: number;
  readonly confidence?: number;
  /** Left out where the scorer cannot explain, and behind the first results. */
  readonly explanation?: MatchExplanation;
  /** The part of the score that past use added. */
  readonly byUse?: number;
}

export interface InspectPermitted {
  /** The names of the tools that the user may find, load and call. */
  readonly search: readonly string[];
  readonly load: readonly string[];
  readonly active: readonly string[];
  /** The whole catalog of the user, where it is another than that of the page. */
  readonly tools?: readonly InspectTool[];
}

export type JsonObject = { readonly [key: string]: unknown };
