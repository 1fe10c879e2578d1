import type { JSX } from 'preact';
import { hashOf } from '../shell/route.ts';
import { Paged } from '../ui/paged.tsx';
import { Text } from '../ui/text.tsx';
import { type PermittedTool, PHASES } from './permissions.ts';

/** The tools with the phases in which the user is let through. */
export function PermissionTable({ tools }: { readonly tools: readonly PermittedTool[] }): JSX.Element {
  if (tools.length === 0) return <p>No tool is like that.</p>;
  return (
    <Paged rows={tools} noun="tools">
      {(rows) => (
        <table class="permissions">
          <thead>
            <tr>
              <th scope="col">tool</th>
              {PHASES.map((phase) => (
                <th key={phase} scope="col" class="mark-column">
                  {phase}
                </th>
              ))}
            </tr>
          </thead>
          <tbody data-list>
            {rows.map(({ name, group, allowed, isOwn }) => (
              <tr key={name}>
                <th scope="row">
                  {isOwn ? (
                    <>
                      <Text of={name} /> <span class="badge">this user’s own</span>
                    </>
                  ) : (
                    <a data-row href={hashOf('tools', name)}>
                      <Text of={name} />
                    </a>
                  )}{' '}
                  {group !== undefined && (
                    <span class="muted small">
                      <Text of={group} />
                    </span>
                  )}
                </th>
                {PHASES.map((phase) => (
                  <td key={phase} class={`mark-column ${allowed[phase] ? 'good' : 'bad'}`}>
                    <span aria-hidden="true">{allowed[phase] ? '✓' : '✕'}</span>
                    <span class="unseen">{allowed[phase] ? 'allowed' : 'denied'}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Paged>
  );
}
