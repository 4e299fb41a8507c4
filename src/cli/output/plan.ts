import type { ScopePlan } from '../../core/action.ts';
import { type HeldSource, type PlanBound, type PlanJson, planJson } from '../../core/render/plan-json.ts';
import { shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { SourceCondition } from '../../ports/sources.ts';
import type { UnmanagedScopes } from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { count, formatDuration } from './format.ts';
import { sortKeys } from './print.ts';

/** A plan as data, the same text whoever made it. */
export function sortedPlanJson(plans: readonly ScopePlan[], bound: PlanBound): PlanJson {
  const json = planJson(plans, bound, sha256);
  const { sources, actions, findings } = json;
  return { ...json, sources: sortKeys(sources), actions: sortKeys(actions), findings: sortKeys(findings) };
}

/**
 * The exit code of an incomplete plan: a cloud that did not answer is no cloud without changes.
 *
 *   a listing that failed, credentials of another account | 1
 *   another store's marks: nothing may be written         | 3
 */
export function incompleteExitCode(plans: readonly ScopePlan[]): ExitCode | undefined {
  const types = new Set(plans.flatMap(({ findings }) => findings.map(({ type }) => type)));
  if (types.has('incomplete') || types.has('wrong-account')) return exitCodes.error;
  return types.has('foreign-store') ? exitCodes.refused : undefined;
}

/** On stderr, a line each. */
export function printHeldSources(
  held: readonly HeldSource[],
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
): void {
  for (const one of held) terminal.err.write(`! ${sourceText(one, clock.now())}\n`);
}

const conditionText: ReadonlyMap<string, string> = new Map(
  Object.entries({
    followed: 'followed',
    broken: 'not valid',
    unsigned: 'not signed as required',
    rewritten: 'rewritten',
    pinned: 'not followed: pinned',
    away: 'unavailable',
  } satisfies Record<SourceCondition, string>),
);

/** `https://git.example/infra.git is not valid at commit 1a2b3c4, for 12 min: specs/web.yaml:3:1: …` */
export function sourceText(held: HeldSource, now: number): string {
  const { source = 'a source', head, state, why = '', since } = printable(held);
  const at = head === undefined ? '' : ` at ${shortRevision(head)}`;
  return `${source} is ${conditionText.get(state) ?? state}${at}, for ${formatDuration(now - since)}${why === '' ? '' : `: ${why}`}`;
}

export const unmanagedScopeText = ({ scope, resources }: UnmanagedScopes): string =>
  `${printable(scope)} is unmanaged: no target in the specs names it, and its ${count(resources, 'resource')} there ${resources === 1 ? 'stays' : 'stay'} unchanged`;

export const unmanagedScopeHint = 'restore the target, or release each with: setpoint forget ADDRESS';

/** On stderr, a line each. */
export function printUnmanagedScopes(all: readonly UnmanagedScopes[], { terminal }: Pick<Context, 'terminal'>): void {
  for (const one of all) terminal.err.write(`! ${unmanagedScopeText(one)}: ${unmanagedScopeHint}\n`);
}
