import { type ComponentType, type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { InspectData, InspectPermitted } from '../../data.ts';
import type { EditHistory, Edits } from '../engine/edits.ts';
import type { RemoteEngine } from '../engine/remote.ts';
import type { Route } from './route.ts';

/** The context of all parts of the page. */
export interface PageParts {
  readonly data: InspectData;
  /** Answers about the edited catalog. */
  readonly engine: RemoteEngine;
  /** The current edits: a new object after each change, so that effects can depend on it. */
  readonly edits: Edits;
  /** Changes tools, and undoes changes. */
  readonly history: EditHistory;
  readonly route: Route;
  /** The user as whom the page searches, with the filter's permissions. */
  readonly user: User | undefined;
  actAs(user: User | undefined): void;
  /** Navigates to an address made by `hashOf`. */
  go(hash: string): void;
  /** Changes settings of the view, without a new entry in the browser's history. */
  set(settings: Readonly<Record<string, string>>): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
}

/** A user, given by a request context. */
export interface User {
  readonly text: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly permitted: InspectPermitted;
}

/** A view of the page. */
export interface View {
  /** The first part of its address. */
  readonly id: string;
  /** The text of its tab. */
  readonly title: string;
  readonly component: ComponentType;
}

const Page: Context<PageParts | undefined> = createContext<PageParts | undefined>(undefined);

export const PageProvider: typeof Page.Provider = Page.Provider;

export function usePage(): PageParts {
  const page = useContext(Page);
  if (!page) throw new Error('A part of the page is outside of it.');
  return page;
}
