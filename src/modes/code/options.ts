import type { CodeModeTransport } from '@mastra/core/tools';
import type { WorkspaceSandbox } from '@mastra/core/workspace';
import { isAcceptedName } from '../../catalog/names.ts';
import { checkOption } from '../../errors.ts';
import type { ResolvedMetaTools } from '../../meta-tools/options.ts';
import {
  type Complete,
  type Contradiction,
  hasMethods,
  milliseconds,
  must,
  type Option,
  type OptionTable,
  object,
} from '../../util/check.ts';
import { isRecord } from '../../util/record.ts';

/**
 * The settings of `mode: 'code'`, which say where its programs run: a `transport` that needs no sandbox, a `sandbox`,
 * or both. The types are those of Mastra's own `createCodeMode()`.
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, mode: 'code', code: { transport: quickJsTransport(), timeout: 10_000 } });
 * ```
 */
export interface CodeOptions {
  /**
   * Runs programs: `quickJsTransport()` of `mastra-tool-search/quickjs`, or one of Mastra's packages.
   *
   * @default with `sandbox`, Mastra's `StdioCodeModeTransport`
   */
  readonly transport?: CodeModeTransport;
  /**
   * The sandbox in which a transport runs programs, such as E2B's. `new LocalSandbox()` is this machine, with all its
   * rights.
   */
  readonly sandbox?: WorkspaceSandbox;
  /** Milliseconds from a program's begin to its end, the calls of its tools included. @default 30_000 */
  readonly timeout?: number;
  /** The name of the tool that runs programs. @default 'execute_typescript' */
  readonly id?: string;
}

type Defaulted = 'timeout' | 'id';

const codeOptions: OptionTable<CodeOptions, Defaulted> = {
  transport: {
    check: must(
      `a transport of code mode, e.g. quickJsTransport() from 'mastra-tool-search/quickjs'`,
      (value) => isRecord(value) && hasMethods(value, 'run'),
    ),
  },
  sandbox: { check: must('a sandbox of Mastra, e.g. new E2BSandbox()', isRecord) },
  timeout: { default: 30_000, check: milliseconds },
  id: {
    default: 'execute_typescript',
    check: must('1 to 64 letters, digits, "_" and "-"', (value) => typeof value === 'string' && isAcceptedName(value)),
  },
};

export const codeOption: Option<CodeOptions> = {
  check: object('an object with transport or sandbox, timeout and id'),
  of: codeOptions,
};

interface Together {
  readonly mode?: string;
  readonly metaTools?: { readonly systemText?: string };
}

export const codeContradictions: readonly Contradiction<Together>[] = [
  {
    paths: ['code'],
    expected: `left out, or used with mode: 'code'`,
    rulesOut: ({ mode }) => mode !== 'code',
  },
  {
    paths: ['search.autoLoad', 'metaTools.load', 'metaTools.unload'],
    off: [false],
    expected: `left out with mode: 'code', where programs call what is found`,
    rulesOut: ({ mode }) => mode === 'code',
  },
  {
    paths: ['metaTools.systemText'],
    expected: `left out with mode: 'code', or a text of your own`,
    rulesOut: ({ mode, metaTools }) => mode === 'code' && metaTools?.systemText === 'firm',
  },
];

/** The options of code mode with their defaults. */
export type ResolvedCode = Complete<CodeOptions, Defaulted> & { readonly schemaTokens: number };

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that a program cannot declare as a constant, and `external`, which it has. */
const RESERVED = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends external
  false finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/**
 * Resolves the options of code mode. Undefined in other modes.
 *
 * @throws ToolSearchError `invalid-option` without transport and sandbox: a model's programs do not run on the host by
 * default.
 */
export function resolveCode(
  mode: string,
  given: CodeOptions | undefined,
  schemaTokens: number,
  { names: { search } }: ResolvedMetaTools,
): ResolvedCode | undefined {
  if (mode !== 'code') return undefined;
  const { transport, sandbox, timeout = 30_000, id = 'execute_typescript' } = given ?? {};
  checkOption(
    transport !== undefined || sandbox !== undefined,
    'code',
    given,
    `{ transport: quickJsTransport() } from 'mastra-tool-search/quickjs', which is safe in this process, or { sandbox } with a sandbox of Mastra: a model's programs do not run on this machine unless you say so, with { sandbox: new LocalSandbox() }`,
  );
  checkOption(
    sandbox !== undefined || transport?.requiresSandbox === false,
    'code.sandbox',
    sandbox,
    'a sandbox, as this transport runs its programs in one; quickJsTransport() needs none',
  );
  checkOption(
    IDENTIFIER.test(search) && !RESERVED.has(search),
    'metaTools.search.name',
    search,
    `a name that a program can call with mode: 'code', such as "find_tools"`,
  );
  checkOption(id !== search, 'code.id', id, 'another name than metaTools.search.name');
  return { transport, sandbox, timeout, id, schemaTokens };
}
