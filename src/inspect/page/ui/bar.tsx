import type { JSX } from 'preact';

/** A share from 0 to 1 as a bar. The number stands beside it, for those who do not see it. */
export function Bar({ share }: { readonly share: number }): JSX.Element {
  const width = `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width }} />
    </span>
  );
}
