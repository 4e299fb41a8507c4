import type { ScopePlan } from '../../core/action.ts';
import { actionDigest } from '../../core/digest.ts';
import { tally } from '../../core/plan/tally.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Approval } from '../../ports/approvals.ts';
import type { Store } from '../../ports/store.ts';
import { accept } from './accept.ts';
import type { Estate } from './estate.ts';
import { approver } from './leases.ts';
import { refuseOvertaken } from './overtaken.ts';
import { wishPasses } from './wish.ts';

export interface Word {
  /** The actions of each are what is let pass. */
  readonly plans: readonly ScopePlan[];
  readonly digest: string;
  /** That the specs are, or become by this. */
  readonly generation: number;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** One approval for each scope where something waits, in the generation that was shown; workers look at once. */
export async function giveApproval(
  { plans, digest, generation, reason, until }: Word,
  { estate, store }: { readonly estate: Estate; readonly store: Store },
): Promise<readonly Approval[]> {
  const newest = await store.generations.current(estate.name);
  refuseOvertaken({ generation, newest, estate }, 'approved');
  const isNew = newest?.number !== (await accept(estate, store)).number;
  const by = { person: approver(), reason };
  const given: Approval[] = [];
  for (const { scope, actions } of plans) {
    if (actions.length === 0) continue;
    const digests = actions.map((action) => actionDigest(action, sha256));
    const draft = { estate: estate.name, scope, generation, digest, actions: digests, destroys: destroysOf(actions) };
    given.push(await store.fleet.approvals.give({ ...draft, by, until }));
  }
  const scopes = isNew ? estate.compiled.scopes.map(({ scope }) => scope) : given.map(({ scope }) => scope);
  await wishPasses(estate, scopes, { store, reason: `${by.person} approved: ${by.reason}` });
  return given;
}

/** As limits count: a removed document once, whatever it was made of. */
export function destroysOf(actions: ScopePlan['actions']): number {
  const { generation, healing } = tally(actions);
  return generation.deletes + generation.replaces + healing.deletes + healing.replaces;
}
