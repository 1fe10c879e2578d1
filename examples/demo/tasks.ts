import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Servers, server } from '../support/mcp-servers.ts';
import type { Need } from '../support/task-script.ts';

export interface Task {
  readonly title: string;
  /** What the user writes. Holds every value, so that a real model can do it too. */
  readonly text: string;
  /** The same for the scripted model: what to search for, and the values by the names of parameters. */
  readonly needs: readonly Need[];
  /** Undoes what an earlier run of the task has done. */
  prepare(): void;
  /** Whether it was really done: looks at the world, and at the text that the tools answered. */
  isDone(toolAnswers: string): boolean;
}

export interface Demo {
  readonly servers: Servers;
  readonly tasks: readonly Task[];
}

/** Six MCP servers from npm, and what the user wants of them, all within one folder. */
export function demoIn(folder: string): Demo {
  const memoryFile = path.join(folder, 'memory.jsonl');
  const repository = path.join(folder, 'repository');
  const note = path.join(folder, 'note.txt');
  mkdirSync(repository);
  execFileSync('git', ['init', '--quiet', repository]);
  writeFileSync(path.join(repository, 'new-idea.md'), 'Not added yet.\n');

  const servers: Servers = {
    files: server('mcp-server-filesystem', [folder]),
    memory: server('mcp-server-memory', [], { MEMORY_FILE_PATH: memoryFile }),
    everything: server('mcp-server-everything'),
    github: server('mcp-server-github'),
    git: server('git-mcp-server', [], {
      MCP_TRANSPORT_TYPE: 'stdio',
      MCP_LOG_LEVEL: 'error',
      LOGS_DIR: path.join(folder, 'logs'),
      GIT_BASE_DIR: folder,
    }),
    charts: server('mcp-server-chart'),
  };

  const content = 'Tool search was here.';
  const entity = { name: 'Ada', entityType: 'person', observations: ['likes tea'] };
  const tasks: Task[] = [
    {
      title: 'Write a file and read it back',
      text: `Write "${content}" into the file ${note}, then read that file back to me.`,
      needs: [
        { search: 'write a file', values: { path: note, content } },
        { search: 'read a text file', values: { path: note } },
      ],
      prepare: () => rmSync(note, { force: true }),
      isDone: (answers) => read(note) === content && answers.includes(content),
    },
    {
      title: 'Add two numbers and remember a person',
      text: `What is the sum of 19 and 23? And create an entity for ${entity.name}, a ${entity.entityType} who likes tea.`,
      needs: [
        { search: 'sum of two numbers', values: { a: 19, b: 23 } },
        { search: 'create entities', values: { entities: [entity] } },
      ],
      prepare: () => rmSync(memoryFile, { force: true }),
      isDone: (answers) => answers.includes('42') && read(memoryFile).includes(entity.name),
    },
    {
      title: 'Look at a git repository',
      text: `Which files are new in the git working tree of ${repository}?`,
      needs: [{ search: 'git status working tree', values: { path: repository } }],
      prepare: () => {},
      isDone: (answers) => answers.includes('new-idea.md'),
    },
  ];
  return { servers, tasks };
}

/** A file's text; empty where there is none. */
function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
