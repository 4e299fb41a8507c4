import type { HeldSource } from '../../core/render/plan-json.ts';
import { shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { SourceCondition } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { formatDuration } from '../output/duration.ts';

/** On stderr, a line each. */
export function tellHeldSources(
  held: readonly HeldSource[],
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
): void {
  for (const one of held) terminal.err.write(`! ${sourceText(one, clock.now())}\n`);
}

const said: ReadonlyMap<string, string> = new Map(
  Object.entries({
    followed: 'followed',
    broken: 'not sound',
    unsigned: 'not signed as asked',
    rewritten: 'rewritten',
    pinned: 'not followed: pinned',
    away: 'out of reach',
  } satisfies Record<SourceCondition, string>),
);

/** `https://git.example/infra.git is not sound at commit 1a2b3c4, for 12 min: specs/web.yaml:3:1: …` */
export function sourceText(held: HeldSource, now: number): string {
  const { source = 'a source', head, state, why = '', since } = printable(held);
  const at = head === undefined ? '' : ` at ${shortRevision(head)}`;
  return `${source} is ${said.get(state) ?? state}${at}, for ${formatDuration(now - since)}${why === '' ? '' : `: ${why}`}`;
}
