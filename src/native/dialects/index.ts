import type { Dialect } from '../dialect.ts';
import { anthropic } from './anthropic/dialect.ts';
import { openai } from './openai/dialect.ts';

/** All dialects, by name. */
export const dialects: Map<string, Dialect> = new Map([anthropic, openai].map((dialect) => [dialect.name, dialect]));
