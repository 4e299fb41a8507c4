import type { CloudId } from '../core/resource.ts';
import { ListingFailed } from '../ports/provider.ts';
import type { Desk } from './desk.ts';
import { isStop } from './halt.ts';
import { wait } from './wait.ts';

/** How long listings are given to show new rules; what they do not show by then, the next pass finds standing. */
const pausesMs = [0, 1000, 2000, 4000, 8000];

/** Of these new rules, those that the cloud lists: an answer to a call is not proof enough to take away what they replace. */
export async function verify(made: ReadonlySet<CloudId>, desk: Desk): Promise<ReadonlySet<CloudId>> {
  const seen = new Set<CloudId>();
  try {
    for (const pauseMs of pausesMs) {
      if (seen.size === made.size) break;
      const waiter = { clock: desk.ports.clock, waits: desk.halt.waits, tell: desk.tell };
      if (pauseMs > 0) await wait({ why: 'visible', detail: 'new rules', forMs: pauseMs }, waiter);
      const listed = await listedRules(desk);
      for (const id of made) if (listed.has(id)) seen.add(id);
    }
  } catch (error) {
    if (!isStop(error, desk.halt.waits)) throw error;
  }
  return seen;
}

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
