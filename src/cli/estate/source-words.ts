import { shortRevision } from '../../core/render/revision.ts';
import type { SourceState } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { formatDuration } from '../output/duration.ts';

/** On stderr, a line each. */
export function tellHeldSources(
  held: readonly SourceState[],
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
): void {
  for (const one of held) terminal.err.write(`! ${sourceText(one, clock.now())}\n`);
}

const said: Readonly<Record<SourceState['state'], string>> = {
  followed: 'followed',
  broken: 'not sound',
  unsigned: 'not signed as asked',
  rewritten: 'rewritten',
  pinned: 'not followed: pinned',
  away: 'out of reach',
};

/** `https://git.example/infra.git is not sound at commit 1a2b3c4, for 12 min: specs/web.yaml:3:1: …` */
export function sourceText({ source, head, state, why, since }: SourceState, now: number): string {
  const at = head === undefined ? '' : ` at ${shortRevision(head)}`;
  return `${source} is ${said[state]}${at}, for ${formatDuration(now - since)}${why === '' ? '' : `: ${why}`}`;
}
