import { shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { SourceState } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import { approver } from './leases.ts';

export interface Rewritten {
  readonly estate: string;
  /** The beginning of the new head's hash. */
  readonly commit: string;
  readonly reason: string;
}

/** Takes on a history that was rewritten: its head may come into force, if it is signed as the estate asks. */
export async function acceptHistory({ estate, commit, reason }: Rewritten, store: Store): Promise<SourceState> {
  const waiting = (await store.sources.states.list(estate)).filter(({ state }) => state === 'rewritten');
  const meant = waiting.filter(({ head }) => head?.startsWith(`git:${commit.toLowerCase()}`));
  const [source] = meant;
  if (source?.head === undefined || meant.length > 1 || !/^[0-9a-f]{7,40}$/i.test(commit)) throw none(commit, waiting);
  const current = await store.generations.current(estate);
  const move = { head: source.head, after: current?.revision ?? '' };
  await store.sources.histories.accept(estate, move, { person: approver(), reason });
  // why: whoever follows hears it at once, and not at its next look
  await store.sources.bells.ring(estate);
  return source;
}

function none(commit: string, waiting: readonly SourceState[]): Complaint {
  const lines = waiting.flatMap(({ head }) =>
    head === undefined ? [] : [printable(`--history ${head.slice(4, 16)}  # ${shortRevision(head)}`)],
  );
  return new Complaint(`No rewritten history with the head ${JSON.stringify(commit)} waits.`, {
    next: lines.length === 0 ? 'None waits at all: setpoint status' : `Name one that does:\n${lines.join('\n')}`,
  });
}
