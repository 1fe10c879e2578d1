import { ToolSearchError } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';

/** Says which options a scorer's factory refuses, and with what. */
export function describeRefusals<Given extends { readonly message: string }>(
  refused: readonly Given[],
  make: (given: Given) => unknown,
): void {
  describe('options', () => {
    it.each(refused)('are refused: $message', (given) => {
      let error: unknown;
      try {
        make(given);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(ToolSearchError);
      expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining(given.message) });
    });
  });
}
