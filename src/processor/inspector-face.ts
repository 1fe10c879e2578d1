import type { Policy } from '../filter/permissions.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { SearchServices } from '../search/find.ts';
import type { RequestCatalogs } from './catalogs.ts';
import type { LearningRequests } from './learning.ts';

/** What the inspector, a wing, reads of a live processor. */
export interface InspectedProcessor extends SearchServices {
  readonly options: ResolvedOptions;
  readonly policy: Policy;
  readonly catalogs: RequestCatalogs;
  readonly learning: LearningRequests | undefined;
}
