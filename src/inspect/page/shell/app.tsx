import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InspectData } from '../../data.ts';
import type { RemoteEngine } from '../engine/calls.ts';
import type { EditHistory } from '../engine/edit-history.ts';
import { views } from '../views.ts';
import { Header } from './header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { hashOf, type Route } from './route.ts';
import { applyTheme, keepTheme, readTheme, THEMES, type Theme } from './theme.ts';
import { useAddress } from './use-address.ts';
import { useCommands } from './use-commands.ts';
import type { View } from './view.ts';

interface AppProps {
  readonly data: InspectData;
  readonly engine: RemoteEngine;
  readonly history: EditHistory;
}

/** The page: its head, one view, and what the keys do. */
export function App({ data, engine, history }: AppProps): JSX.Element {
  const { route, navigate, remember, leftAt } = useAddress();
  const [theme, setTheme] = useState<Theme>(readTheme);
  const [edits, setEdits] = useState(history.current);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [said, announce] = useState('');
  const main = useRef<HTMLElement>(null);
  const view = views.find(({ id }) => id === route.view) ?? views[0];

  useEffect(() => history.subscribe(() => setEdits(history.current)), [history]);
  useEffect(() => {
    document.title = `${edits.size > 0 ? '● ' : ''}${titleOf(view, route)} · ${data.title}`;
  }, [view, route, edits, data]);
  useEffect(() => {
    if (edits.size === 0) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [edits]);

  // The tab of the view that is shown leads to its beginning.
  const goTo = (id: string): void => navigate((id === route.view ? undefined : leftAt(id)) ?? hashOf(id));
  const changeTheme = (): void => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
    setTheme(next);
    applyTheme(next);
    keepTheme(next);
    announce(`Theme: ${next}`);
  };
  useCommands({
    help: () => setHelpOpen(true),
    theme: changeTheme,
    undo: () => history.undo(),
    redo: () => history.redo(),
    search: () => goTo('search'),
    view: (place) => views[place] && goTo(views[place].id),
    back: () => {
      if (route.name === '') return;
      if (globalThis.history.length > 1) globalThis.history.back();
      else navigate(hashOf(route.view));
    },
  });

  if (!view) return <p>There is nothing to show.</p>;
  const Component = view.component;
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header
        {...{ data, edits, theme, changeTheme, goTo, views, current: view, canUndo: history.canUndo }}
        undo={() => history.undo()}
        openHelp={() => setHelpOpen(true)}
      />
      <main id="main" ref={main} tabIndex={-1} aria-label={view.title}>
        {data.server?.fault && <p role="alert">{data.server.fault}</p>}
        <Component {...{ data, engine, edits, history, route, navigate, remember, announce }} />
      </main>
      <HelpDialog isOpen={isHelpOpen} close={() => setHelpOpen(false)} />
      <div class="unseen" role="status" aria-live="polite">
        {said}
      </div>
    </>
  );
}

function titleOf(view: View | undefined, { name }: Route): string {
  return name === '' ? (view?.title ?? '') : name;
}
