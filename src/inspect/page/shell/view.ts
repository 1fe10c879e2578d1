import type { ComponentType } from 'preact';
import type { InspectData } from '../../data.ts';
import type { RemoteEngine } from '../engine/calls.ts';
import type { EditHistory } from '../engine/edit-history.ts';
import type { Edits } from '../engine/edits.ts';
import type { Route } from './route.ts';

/** What every view is given. */
export interface ViewProps {
  readonly data: InspectData;
  /** Answers about the catalog as it is edited. */
  readonly engine: RemoteEngine;
  /** The edits of the moment: another object after each change, so that effects can depend on it. */
  readonly edits: Edits;
  /** Changes tools, and takes changes back. */
  readonly history: EditHistory;
  readonly route: Route;
  /** Goes to an address that `hashOf` has made. */
  navigate(hash: string): void;
  /** Keeps settings of the view in the address, without a step in the browser's history. */
  remember(settings: Readonly<Record<string, string>>): void;
  /** Says something to screen readers. */
  announce(text: string): void;
}

/** A view of the page. */
export interface View {
  /** The first part of its address. */
  readonly id: string;
  /** The text of its tab. */
  readonly title: string;
  readonly component: ComponentType<ViewProps>;
}
