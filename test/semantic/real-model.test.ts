import { bm25Scorer } from 'mastra-tool-search';
import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
import { expect, it } from 'vitest';
import { catalog } from '../fixtures/tools.ts';
import { namesOf, rated } from '../scorers/scorer-contract.ts';
import { modelEmbed } from './embeddings/embedders.ts';

const meaning = semanticScorer({ embed: modelEmbed });
const hybrid = hybridScorer([bm25Scorer(), meaning]);

it.each([
  ['is it going to rain tomorrow', 'get-weather-forecast'],
  ['how much is a dollar in euros', 'currency-convert'],
  ['reboot the machine', 'restart_server'],
  ['notify my coworkers', 'send_email'],
])('a real model finds for "%s", which shares no word with it, %s', async (query, name) => {
  expect((await namesOf(meaning, catalog, query)).slice(0, 2)).toContain(name);
  expect(await namesOf(bm25Scorer({ synonyms: [] }), catalog, query)).not.toContain(name);
});

it('a hybrid with a real model finds so too, and keeps exact hits first', async () => {
  expect((await namesOf(hybrid, catalog, 'umbrella needed')).slice(0, 2)).toContain('get-weather-forecast');
  expect((await namesOf(hybrid, catalog, 'make a ticket')).slice(0, 2)).toContain('jira_create_ticket');
  expect((await namesOf(hybrid, catalog, 'get weather alerts'))[0]).toBe('get-weather-alerts');
  expect((await namesOf(hybrid, catalog, 'slack reaction'))[0]).toBe('slack_add_reaction');
});

it('its confidence is high for what fits, and low for what does not', async () => {
  const index = await hybrid.index(catalog);
  expect((await rated(index, 'get the weather forecast')).confidences[0]).toBeGreaterThan(0.8);
  expect((await rated(index, 'pastry recipe')).confidences[0]).toBeLessThan(0.3);
});
