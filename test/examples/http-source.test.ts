import { startService } from '../../examples/http-source/service.ts';
import { httpSource } from '../../examples/http-source/source.ts';
import { runTool } from '../../examples/support/services.ts';
import { describeToolSource } from '../catalog/tool-source-contract.ts';
import { definitionsOf } from './definitions.ts';

describeToolSource(
  'the example of a source over HTTP',
  async () => {
    const service = await startService([], runTool);
    return {
      source: httpSource(service.url),
      fill: (tools) => service.fill(definitionsOf(tools)),
      close: () => service.stop(),
    };
  },
  { explains: false, runs: 8 },
);
