import type { JSX } from 'preact';
import type { ViewProps } from '../shell/view.ts';
import { Text } from '../ui/text.tsx';

/** A tool, or the list of all. */
export function ToolsView({ route }: ViewProps): JSX.Element {
  return <Text of={route.name} />;
}
