import { printable } from '../../core/text.ts';
import type { UnmanagedScopes } from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { count } from '../output/count.ts';

export const leftAloneText = ({ scope, resources }: UnmanagedScopes): string =>
  `${printable(scope)} is no longer in the specs; ${count(resources, 'resource')} of ours there ${resources === 1 ? 'is' : 'are'} left alone`;

export const leftAloneNext = 'bring the target back, or let each go with: setpoint forget ADDRESS';

/** On stderr, a line each. */
export function tellLeftAlone(all: readonly UnmanagedScopes[], { terminal }: Pick<Context, 'terminal'>): void {
  for (const one of all) terminal.err.write(`! ${leftAloneText(one)}: ${leftAloneNext}\n`);
}
