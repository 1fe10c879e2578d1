import { expect, it } from 'vitest';
import type { FilesOfAStep } from './files-of-a-step-child.ts';
import { askNewProcess } from './support/new-process.ts';

const child = new URL('./files-of-a-step-child.ts', import.meta.url);

it('passes few files in a default step, and in a search', async () => {
  const { step, search } = await askNewProcess<FilesOfAStep>(child, 'run');
  console.info(`A default step passes ${step.length} files:\n${step.join('\n')}`);
  console.info(`A search passes ${search.length} files:\n${search.join('\n')}`);
  expect(step.length).toBeLessThanOrEqual(21);
  const engine = search.filter((file) => file.startsWith('scorers/'));
  expect(search.length - engine.length).toBeLessThanOrEqual(20);
  expect(search.length).toBeLessThanOrEqual(27);
});
