import type { JSX } from 'preact';
import type { ViewProps } from '../shell/view.ts';
import { ToolList } from './tool-list.tsx';
import { ToolPage } from './tool-page.tsx';
import './tool.css';

/** A tool, or the list of all. */
export function ToolsView(props: ViewProps): JSX.Element {
  const { route, history } = props;
  const tool = history.tool(route.name);
  // Another tool begins anew: nothing that was typed for one stays for the next.
  return tool ? <ToolPage key={tool.name} {...props} tool={tool} /> : <ToolList {...props} />;
}
