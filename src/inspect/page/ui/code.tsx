import type { ComponentChildren, JSX } from 'preact';

interface CodeProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A text in lines, which scrolls by itself. */
export function Code({ label, children }: CodeProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}
