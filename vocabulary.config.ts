import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin as RollupPlugin } from 'rollup';
import { packGroups } from './src/scorers/words/thesaurus/packed-groups.ts';
import { builtInGroups } from './src/scorers/words/thesaurus/vocabulary.ts';

const MODULE = /scorers\/words\/thesaurus\/vocabulary\.ts$/;

/** What stands in the place of `vocabulary.ts` in what is built: its groups, with the stems of their words. */
function packedModule(): string {
  return `import { unpackGroups } from './packed-groups.ts';
const packed = ${JSON.stringify(packGroups(builtInGroups()))};
export const builtInGroups = () => unpackGroups(packed);`;
}

export const vocabularyForRollup: RollupPlugin = {
  name: 'vocabulary',
  load: (id) => (MODULE.test(id) ? packedModule() : null),
};

export const vocabularyForEsbuild: EsbuildPlugin = {
  name: 'vocabulary',
  setup: (build) => {
    build.onLoad({ filter: MODULE }, ({ path }) => ({
      contents: packedModule(),
      loader: 'ts',
      resolveDir: path.slice(0, path.lastIndexOf('/')),
    }));
  },
};
