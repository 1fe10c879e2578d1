import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InspectData } from '../../data.ts';
import type { EditHistory } from '../engine/edits.ts';
import type { RemoteEngine } from '../engine/remote.ts';
import { countText, numberText, Text } from '../ui/text.tsx';
import { Tip } from '../ui/tip.tsx';
import { CasesView } from '../views/cases.tsx';
import { ChangesDrawer } from '../views/drawer.tsx';
import { OverviewView } from '../views/overview.tsx';
import { SearchView } from '../views/search.tsx';
import { ToolsView } from '../views/tools.tsx';
import { useAddress } from './address.ts';
import { askServer } from './ask-server.ts';
import { PageProvider, type User, type View } from './context.ts';
import { useKeptFocus } from './focus.ts';
import { focusSearch, KEYS, useKeys } from './keys.ts';
import { hashOf } from './route.ts';
import { SaveButton } from './save.tsx';

/** The views, in the order of their tabs. The keys 1 to 4 go to them. */
const VIEWS: readonly [View, ...View[]] = [
  { id: 'overview', title: 'Overview', component: OverviewView },
  { id: 'search', title: 'Search', component: SearchView },
  { id: 'tools', title: 'Tools', component: ToolsView },
  { id: 'cases', title: 'Cases', component: CasesView },
];

interface AppProps {
  readonly data: InspectData;
  readonly engine: RemoteEngine;
  readonly history: EditHistory;
}

/** The page: its header, one view, and its keys. */
export function App({ data, engine, history }: AppProps): JSX.Element {
  const { route, go, set, leftAt } = useAddress();
  const [edits, setEdits] = useState(history.current);
  const [open, setOpen] = useState<'help' | 'changes'>();
  const [user, actAs] = useState<User>();
  const [said, announce] = useState('');
  const fault = useServer(data);
  const main = useRef<HTMLElement>(null);
  const view = VIEWS.find(({ id }) => id === route.view) ?? VIEWS[0];
  const tabs = useRef<HTMLUListElement>(null);

  useEffect(() => history.subscribe(() => setEdits(history.current)), [history]);
  useEffect(() => {
    document.title = `${edits.size > 0 ? '● ' : ''}${route.name || view.title} · ${data.title}`;
  }, [view, route.name, edits]);
  // On a narrow screen, the tab of the view may be outside the visible part.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);

  // The tab of the current view leads to the view's start.
  const goTo = (id: string): void => go((id === route.view ? undefined : leftAt(id)) ?? hashOf(id));
  useKeptFocus();
  useKeys({
    help: () => setOpen('help'),
    changes: () => setOpen('changes'),
    undo: () => history.undo(),
    search: () => {
      goTo('search');
      setTimeout(focusSearch);
    },
    view: (place) => VIEWS[place] && goTo(VIEWS[place].id),
    back: () => {
      if (route.name === '') return;
      if (globalThis.history.length > 1) globalThis.history.back();
      else go(hashOf(route.view));
    },
  });

  const Component = view.component;
  return (
    <PageProvider value={{ data, engine, edits, history, route, user, actAs, go, set, announce }}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="head">
        <div class="head-line">
          <h1>
            <Text of={data.title} />
          </h1>
          <p class="counts">
            <a href={hashOf('tools')}>{countText(data.tools.length, 'tool')}</a>
            {data.cases && <a href={hashOf('cases')}>{countText(data.cases.length, 'case')}</a>}
          </p>
          <span class="spring" />
          {edits.size > 0 && (
            <button type="button" class="changed" onClick={() => setOpen('changes')}>
              <span class="dot" aria-hidden="true" />
              {countText(edits.size, 'change')}
            </button>
          )}
          {history.canUndo && (
            <button type="button" class="quiet" onClick={() => history.undo()} title="Take back the last edit (u)">
              Undo
            </button>
          )}
          <SaveButton />
          <button type="button" class="quiet icon" onClick={() => setOpen('help')} title="Keys (?)" aria-label="Keys">
            ?
          </button>
        </div>
        <nav aria-label="Views">
          <ul class="tabs" ref={tabs}>
            {VIEWS.map((one, place) => (
              <li key={one.id}>
                <a
                  href={(one === view ? undefined : leftAt(one.id)) ?? hashOf(one.id)}
                  aria-current={one === view ? 'page' : undefined}
                  title={`${one.title} (${place + 1})`}
                >
                  {one.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1} aria-label={view.title}>
        {(fault ?? data.server?.fault) && (
          <p class="bad" role="alert">
            <Text of={fault ?? data.server?.fault ?? ''} />
          </p>
        )}
        <Component />
      </main>
      <Dialog title="Keys" isOpen={open === 'help'} close={() => setOpen(undefined)}>
        <dl>
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
      <Dialog
        title={edits.size === 0 ? 'No changes' : `${numberText(edits.size)} changed`}
        isOpen={open === 'changes'}
        close={() => setOpen(undefined)}
      >
        <ChangesDrawer close={() => setOpen(undefined)} />
      </Dialog>
      <div class="unseen" role="status" aria-live="polite">
        {said}
      </div>
      <Tip />
    </PageProvider>
  );
}

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly children: JSX.Element;
  close(): void;
}

function Dialog({ title, isOpen, children, close }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} onClose={close} aria-label={title}>
      {isOpen && (
        <>
          <h2>{title}</h2>
          {children}
          <p class="dialog-end">
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </>
      )}
    </dialog>
  );
}

/** Milliseconds between two polls for a replaced catalog. */
const WATCH = 1_000;

/** Reloads the page when a watching server has replaced its catalog. Returns the server's fault. */
function useServer({ server }: InspectData): string | undefined {
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    if (server?.revision === undefined) return undefined;
    const timer = setInterval(async () => {
      try {
        if ((await askServer({ ask: 'revision' })) !== server.revision) location.reload();
        setFault(undefined);
      } catch (error) {
        setFault((error as Error).message);
      }
    }, WATCH);
    return () => clearInterval(timer);
  }, []);
  return fault;
}
