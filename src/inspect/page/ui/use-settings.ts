import { useState } from 'preact/hooks';
import type { ViewProps } from '../shell/view.ts';
import { useChange } from './use-change.ts';

/** The settings of a view: those of its address, and how to change one. The address keeps them, empty ones excepted. */
export function useSettings({
  route,
  remember,
}: Pick<ViewProps, 'route' | 'remember'>): readonly [
  get: (key: string) => string,
  set: (key: string, value: string) => void,
] {
  const [settings, setSettings] = useState(route.settings);
  useChange(route, () => setSettings(route.settings));
  const set = (key: string, value: string): void => {
    const next = new Map(settings).set(key, value);
    setSettings(next);
    remember(Object.fromEntries(next));
  };
  return [(key) => settings.get(key) ?? '', set];
}
