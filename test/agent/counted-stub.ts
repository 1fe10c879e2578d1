import type { MastraTool, ToolStub } from 'mastra-tool-search';
import { type Mock, vi } from 'vitest';

/** A stub of a tool, which counts how often it is resolved. */
export function lazyToolOf(
  real: MastraTool,
  extra: Partial<ToolStub> = {},
): { readonly stub: ToolStub; readonly resolve: Mock<ToolStub['resolve']> } {
  const resolve = vi.fn<ToolStub['resolve']>(async () => real);
  const stub: ToolStub = { id: real.id, description: real.description, resolve, ...extra };
  return { stub, resolve };
}
