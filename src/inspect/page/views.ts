import { SearchView } from './search/search-view.tsx';
import type { View } from './shell/view.ts';
import { ToolsView } from './tool/tools-view.tsx';

/** The views, in the order of their tabs. The keys 1 to 8 go to them. */
export const views: readonly View[] = [
  { id: 'search', title: 'Search', component: SearchView },
  { id: 'tools', title: 'Tools', component: ToolsView },
];
