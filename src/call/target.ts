import type { CatalogEntry } from '../catalog/entry.ts';
import { unusable } from '../meta-tools/load.ts';
import { meant } from '../meta-tools/missed-calls.ts';
import { newAllowance, type Services, type Step } from '../meta-tools/step.ts';
import { mistakesIn, parameterNames } from './validation.ts';
import type { WrittenCall } from './written-call.ts';

/** What a written call comes to for one request. */
export type Target =
  /** A tool that is sent anyway. */
  | { readonly kind: 'resident'; readonly name: string; readonly args: object }
  /** A tool that may run with these arguments. */
  | { readonly kind: 'tool'; readonly entry: CatalogEntry; readonly args: object }
  /** A permitted tool with wrong arguments. */
  | { readonly kind: 'mistaken'; readonly entry: CatalogEntry; readonly mistakes: string }
  /** A permitted tool that has no definition, or one that cannot be sent. */
  | { readonly kind: 'failed'; readonly name: string }
  /** No one tool that the request may use. */
  | { readonly kind: 'unknown' };

/** Finds the one tool that a call means, through the phases load and active, and checks its arguments. */
export async function targetOf(
  { toolName, readings }: WrittenCall,
  step: Step,
  model: unknown,
  services: Services,
): Promise<Target> {
  const asked = { ...step, allowance: newAllowance() };
  const name = toolName === '' ? undefined : await meant(toolName, asked);
  if (name === undefined || step.permissions.isAborted) return { kind: 'unknown' };
  if (step.available.has(name)) {
    const args = readings(parameterNames(step.own[name] ?? step.catalog.get(name)?.tool))[0] ?? {};
    return name === services.options.call?.name ? { kind: 'unknown' } : { kind: 'resident', name, args };
  }
  const found = step.catalog.get(name);
  if (!found) return { kind: 'unknown' };
  const failing = await unusable([found], step, services);
  const entry = services.stubs.ready(found, step.state.run);
  if (!entry || failing.has(name)) return { kind: 'failed', name };
  const all: string[] = [];
  for (const args of readings(parameterNames(entry.tool))) {
    const mistakes = args ? await mistakesIn(args, entry, model) : NO_OBJECT;
    if (args && mistakes === undefined) return { kind: 'tool', entry, args };
    all.push(mistakes ?? NO_OBJECT);
  }
  return { kind: 'mistaken', entry, mistakes: all[0] ?? NO_OBJECT };
}

const NO_OBJECT = 'The arguments are no object.';
