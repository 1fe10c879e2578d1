/**
 * Shows a catalog in a page: a server on the loopback, or one file.
 *
 * @module mastra-tool-search/inspect
 */

export {
  type InspectOptions,
  type Inspector,
  inspectorHtml,
  type StartInspectorOptions,
  startInspector,
} from '../inspect/start-inspector.ts';
export type { ToolsToRead } from '../workbench/evaluate/cases.ts';
