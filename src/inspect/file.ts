import { type Catalog, wordVectors } from '../kit.ts';
import { dated, pageOf } from './html.ts';
import { type Shown, toInspectData } from './inspect-data.ts';
import { pageFiles } from './page-files.ts';

/** The page of a catalog as one file without a server: it contains the table of word vectors, and no scorers of a server. */
export async function fileOf(catalog: Catalog, shown: Shown): Promise<string> {
  const [files, vectors] = await Promise.all([pageFiles(), wordVectors()]);
  return pageOf(dated(toInspectData(catalog, shown)), files, vectors).html;
}
