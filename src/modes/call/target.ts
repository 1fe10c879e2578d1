import type { CatalogEntry } from '../../catalog/entry.ts';
import { unusable } from '../../meta-tools/load.ts';
import { meant } from '../../meta-tools/missed-calls.ts';
import { newAllowance, type Services, type Step } from '../../meta-tools/step.ts';
import type { WrittenCall } from './written-call.ts';

/** What a written call comes to for one request. */
export type Target =
  /** A tool that is sent anyway. */
  | { readonly kind: 'resident'; readonly name: string; readonly args: object }
  /** A tool that may be called with these arguments, whether they fit or not: nothing checks them before its call. */
  | { readonly kind: 'tool'; readonly entry: CatalogEntry; readonly args: object }
  /** A permitted tool whose arguments are no object. */
  | { readonly kind: 'no-object'; readonly entry: CatalogEntry }
  /** A permitted tool that has no definition, or one that cannot be sent. */
  | { readonly kind: 'failed'; readonly name: string }
  /** No one tool that the request may use. */
  | { readonly kind: 'unknown' };

/** The tools that a request lets a model call: `'any'`, or the one of this name, or none. */
export type Choice = 'any' | { readonly only: string | undefined };

/** Whether a model may call this tool. */
export function mayCall(choice: Choice, name: string): boolean {
  return choice === 'any' || choice.only === name;
}

/** The name of the tool that a call means. */
export function nameOf(target: Exclude<Target, { kind: 'unknown' }>): string {
  return 'entry' in target ? target.entry.name : target.name;
}

/** Finds the one tool that a call means, through the phases load and active. */
export async function targetOf(
  { toolName, argumentsFor }: WrittenCall,
  step: Step,
  services: Services,
): Promise<Target> {
  const asked = { ...step, allowance: newAllowance() };
  const name = toolName === '' ? undefined : await meant(toolName, asked);
  if (name === undefined || step.permissions.isAborted) return { kind: 'unknown' };
  if (step.available.has(name)) {
    const args = argumentsFor(step.own[name] ?? step.catalog.get(name)?.tool) ?? {};
    return name === services.options.call?.name ? { kind: 'unknown' } : { kind: 'resident', name, args };
  }
  const found = step.catalog.get(name);
  if (!found) return { kind: 'unknown' };
  const failing = await unusable([found], step, services);
  const entry = services.stubs.ready(found, step.state.run);
  if (!entry || failing.has(name)) return { kind: 'failed', name };
  const args = argumentsFor(entry.tool);
  return args ? { kind: 'tool', entry, args } : { kind: 'no-object', entry };
}
