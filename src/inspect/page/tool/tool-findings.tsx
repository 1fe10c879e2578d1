import type { JSX } from 'preact';
import type { LintSeverity } from '../../../workbench/lint/rule.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';

const COLOURS: Readonly<Record<LintSeverity, string>> = { error: 'bad', warning: 'warn', info: '' };

/** What lint finds of a tool. */
export function ToolFindings({
  name,
  engine,
  edits,
}: Pick<ViewProps, 'engine' | 'edits'> & { readonly name: string }): JSX.Element {
  const { value: findings, error } = useAnswer(() => engine.lint(name), [engine, edits, name]);
  return (
    <section aria-labelledby="lint">
      <h3 id="lint">Lint</h3>
      {error !== undefined && (
        <p class="bad">
          <Text of={error} />
        </p>
      )}
      {findings?.length === 0 && <p class="small muted">Nothing to say.</p>}
      <ul class="findings">
        {findings?.map(({ rule, severity, evidence, remedy, others = [] }) => (
          <li key={`${rule} ${evidence}`}>
            <span class={`badge ${COLOURS[severity]}`}>{rule}</span>
            <p>
              <Text of={evidence} />
            </p>
            <p class="muted small">
              <Text of={remedy} />
            </p>
            {others.some((other) => other !== name) && (
              <p class="small others">
                {others
                  .filter((other) => other !== name)
                  .slice(0, 8)
                  .map((other) => (
                    <a key={other} class="mono" href={hashOf('tools', other)}>
                      <Text of={other} />
                    </a>
                  ))}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
