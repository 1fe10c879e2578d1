import { CasesView } from './cases/cases-view.tsx';
import { ConfusionsView } from './confusions/confusions-view.tsx';
import { FunnelView } from './funnel/funnel-view.tsx';
import { MapView } from './map/map-view.tsx';
import { SearchView } from './search/search-view.tsx';
import type { View } from './shell/view.ts';
import { TokensView } from './tokens/tokens-view.tsx';
import { ToolsView } from './tool/tools-view.tsx';
import { UserView } from './user/user-view.tsx';

/** The views, in the order of their tabs. The keys 1 to 8 go to them. */
export const views: readonly View[] = [
  { id: 'search', title: 'Search', component: SearchView },
  { id: 'tools', title: 'Tools', component: ToolsView },
  { id: 'cases', title: 'Cases', component: CasesView },
  { id: 'confusions', title: 'Confusions', component: ConfusionsView },
  { id: 'funnel', title: 'Funnel', component: FunnelView },
  { id: 'tokens', title: 'Tokens', component: TokensView },
  { id: 'map', title: 'Map', component: MapView },
  { id: 'user', title: 'Act as', component: UserView },
];
