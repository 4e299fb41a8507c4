import type { CloudId, Ref } from '../core/resource.ts';
import { ListingFailed } from '../ports/provider.ts';
import type { Desk } from './desk.ts';
import { isStop } from './halt.ts';
import type { Outcome } from './outcome.ts';
import { wait } from './wait.ts';

/** How long listings are given to show new rules; what they do not show by then, the next pass finds standing. */
const pausesMs = [0, 1000, 2000, 4000, 8000];

/**
 * The containers of which every new atom was made and is listed by the cloud: what the call answered is not proof enough
 * to take away what the atom replaces. One listing serves all containers.
 */
export async function verify(made: ReadonlyMap<Ref, readonly Outcome[]>, desk: Desk): Promise<ReadonlySet<Ref>> {
  const awaited = [...made].filter(([, outcomes]) =>
    outcomes.every((outcome) => outcome.as === 'done' && outcome.observed),
  );
  let waiting = awaited;
  try {
    for (const pauseMs of pausesMs) {
      if (waiting.length === 0) break;
      const waiter = { clock: desk.ports.clock, waits: desk.halt.waits, tell: desk.tell };
      if (pauseMs > 0) await wait({ why: 'visible', detail: 'new rules', forMs: pauseMs }, waiter);
      const listed = await listedRules(desk);
      waiting = waiting.filter(([, outcomes]) => outcomes.some((outcome) => !isListed(outcome, listed)));
    }
  } catch (error) {
    if (!isStop(error, desk.halt.waits)) throw error;
  }
  const unseen = new Set(waiting);
  return new Set(awaited.filter((entry) => !unseen.has(entry)).map(([container]) => container));
}

const isListed = (outcome: Outcome, listed: ReadonlySet<CloudId>): boolean =>
  outcome.as === 'done' && outcome.observed !== undefined && listed.has(outcome.observed.id);

async function listedRules({ at, line }: Desk): Promise<ReadonlySet<CloudId>> {
  const ids = new Set<CloudId>();
  try {
    for await (const page of at.site.session.actuators['firewall-rule'].list(line.reading())) {
      for (const { id } of page) ids.add(id);
    }
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
  }
  return ids;
}
