import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { InspectData } from '../../data.ts';
import type { Edits } from '../engine/edits.ts';
import { Text } from '../ui/text.tsx';
import { hashOf } from './route.ts';
import type { Theme } from './theme.ts';
import type { View } from './view.ts';

interface HeaderProps {
  readonly data: InspectData;
  readonly edits: Edits;
  readonly views: readonly View[];
  readonly current: View;
  readonly theme: Theme;
  readonly canUndo: boolean;
  goTo(id: string): void;
  changeTheme(): void;
  openHelp(): void;
  undo(): void;
}

/** The head of the page: what is inspected, what was edited, and the tabs. */
export function Header(props: HeaderProps): JSX.Element {
  const { data, edits, views, current, theme, canUndo } = props;
  const tabs = useRef<HTMLUListElement>(null);
  // On a narrow screen, the tab of the view may lie beside it.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <header class="head">
      <div class="head-line">
        <h1>
          <Text of={data.title} />
        </h1>
        <p class="counts">
          <Count of={data.tools.length} what="tool" />
          {data.cases && <Count of={data.cases.length} what="case" />}
        </p>
        <span class="spring" />
        {edits.size > 0 && (
          <p class="edits">
            <a href={hashOf('tools', '', { only: 'edited' })}>
              <span class="dot" aria-hidden="true" />
              {`${edits.size} edited`}
              <span class="wide">{edits.size === 1 ? ' tool' : ' tools'}</span>
            </a>
          </p>
        )}
        {canUndo && (
          <button type="button" class="quiet" onClick={props.undo} title="Take back the last edit (u)">
            Undo
          </button>
        )}
        <button
          type="button"
          class="quiet icon"
          onClick={props.changeTheme}
          title={`Theme: ${theme} (t)`}
          aria-label={`Theme: ${theme}`}
        >
          <ThemeSign theme={theme} />
        </button>
        <button type="button" class="quiet icon" onClick={props.openHelp} title="Keys (?)" aria-label="Keys">
          ?
        </button>
      </div>
      <nav aria-label="Views">
        <ul class="tabs" ref={tabs}>
          {views.map((view, place) => (
            <li key={view.id}>
              <a
                href={hashOf(view.id)}
                aria-current={view === current ? 'page' : undefined}
                title={`${view.title} (${place + 1})`}
                onClick={(event) => {
                  // A tab leads to where its view was left; with Ctrl and the like it is a link as any other.
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  props.goTo(view.id);
                }}
              >
                {view.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

function Count({ of, what }: { readonly of: number; readonly what: string }): JSX.Element {
  return <span>{`${of.toLocaleString('en')} ${what}${of === 1 ? '' : 's'}`}</span>;
}

/** A half-filled circle, turned by the theme. */
function ThemeSign({ theme }: { readonly theme: Theme }): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5" />
      {theme === 'auto' && <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />}
      {theme === 'dark' && <circle cx="8" cy="8" r="6" fill="currentColor" />}
    </svg>
  );
}
