import { ToolSearchError } from 'mastra-tool-search';
import { expect } from 'vitest';

/** The error with which what is made refuses its options. */
export function refusalOf(make: () => unknown, code: ToolSearchError['code'] = 'invalid-option'): ToolSearchError {
  const error = thrownBy(make);
  expect(error).toBeInstanceOf(ToolSearchError);
  expect(error).toMatchObject({ name: 'ToolSearchError', code });
  return error;
}

export function thrownBy(make: () => unknown): ToolSearchError {
  try {
    make();
  } catch (error) {
    return error as ToolSearchError;
  }
  throw new Error('the options were accepted');
}
