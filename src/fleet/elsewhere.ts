import type { Action } from '../core/action.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { approvedBy } from '../core/plan/approve.ts';
import { plan } from '../core/plan/plan.ts';
import { type Count, tally } from '../core/plan/tally.ts';
import type { Address } from '../core/resource.ts';
import { providerOf } from '../estate/opened-estate.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { Charter } from './charter.ts';
import type { Spoken } from './reconcile.ts';

/**
 * What a generation would still delete and replace in the other scopes of its estate, by what was seen last of each: limits
 * count over all of them, and none waits for another's worker. A scope that was never looked at has nothing of ours to remove.
 * A look may be old, so what is under way or was done since counts as spent only; the ledger's own count has the last word.
 * Reads and plans those scopes whole, one after the other, so ask only where something is to be destroyed.
 */
export async function elsewhere(
  { estate, scope }: Where,
  by: Pick<Spoken, 'estate'>,
  charter: Pick<Charter, 'policies' | 'modesBefore'>,
  store: Pick<Store, 'inventory' | 'fleet'>,
): Promise<Count> {
  const sum = { deletes: 0, replaces: 0 };
  for (const other of by.estate.compiled.scopes) {
    if (other.scope === scope) continue;
    const { deletes, replaces } = await stillThere({ estate, other, by, charter }, store);
    sum.deletes += deletes;
    sum.replaces += replaces;
  }
  return sum;
}

interface Asked {
  readonly estate: string;
  readonly other: CompiledScope;
  readonly by: Pick<Spoken, 'estate'>;
  readonly charter: Pick<Charter, 'policies' | 'modesBefore'>;
}

async function stillThere(
  { estate, other, by, charter }: Asked,
  { inventory, fleet }: Pick<Store, 'inventory' | 'fleet'>,
): Promise<Count> {
  const { scope, wanted } = other;
  const [observation] = await inventory.latest(estate, scope);
  if (observation === undefined) return { deletes: 0, replaces: 0 };
  // why: read after the look, so that what was removed since is known to be
  const knowledge = await inventory.knowledge(estate, scope);
  const approvals = await fleet.approvals.inForce({ estate, scope });
  const approved = approvedBy(new Set(approvals.flatMap(({ actions }) => actions)), sha256);
  const { policies, modesBefore } = charter;
  const choices = { unattended: true, atOnce: true, policies, modesBefore, approved };
  const { dialect } = providerOf(other, by.estate);
  const { actions } = plan({ wanted, observation, knowledge, dialect, choices });
  const begun = new Set(knowledge.pending.map(({ address }) => address));
  const counted = new Set(actions.filter(({ address }) => begun.has(address)).map(subjectOf));
  return tally(actions.filter((action) => !counted.has(subjectOf(action)))).generation;
}

/** What has one place in the count: all atoms of a document together. */
const subjectOf = ({ kind, address, documents }: Action): Address =>
  (kind === 'firewall-rule' ? documents[0]?.address : undefined) ?? address;
