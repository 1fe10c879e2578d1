import MiniSearch from 'minisearch';
import { answer, type Contestant } from '../contestant.ts';

/** MiniSearch with every default, over name and description. */
export const minisearchDefaults: Contestant = {
  name: 'minisearch',
  async build(tools) {
    const engine = new MiniSearch({ fields: ['id', 'description'] });
    engine.addAll(tools);
    return async (query) => answer(engine.search(query).map(({ id }) => id as string));
  },
};
