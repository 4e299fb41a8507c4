import type { Approval } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import { giveApproval as give, type NewApproval as Said } from '../../queries/approvals.ts';
import type { EstateView } from '../../queries/estate-view.ts';
import { requestReconciles } from '../../queries/requests.ts';
import { accept } from './accept.ts';
import { approver } from './leases.ts';
import { refuseOvertaken } from './overtaken.ts';

/** `generation`: that the specs are, or become by this. */
export interface NewApproval extends Pick<Said, 'plans' | 'digest' | 'generation' | 'until'> {
  readonly reason: string;
}

/** One approval for each scope where something waits, in the generation that was shown; workers look at once. */
export async function giveApproval(
  { plans, digest, generation, reason, until }: NewApproval,
  { estate, store }: Pick<EstateView, 'estate'> & { readonly store: Store },
): Promise<readonly Approval[]> {
  const newest = await store.generations.current(estate.name);
  refuseOvertaken({ generation, newest, estate }, 'approved');
  const isNew = newest?.number !== (await accept(estate, store)).number;
  const by = { person: approver(), reason };
  const given = await give({ estate: estate.name, plans, generation, digest, by, until }, store);
  const scopes = isNew ? estate.compiled.scopes.map(({ scope }) => scope) : given.map(({ scope }) => scope);
  await requestReconciles(estate, scopes, { store, reason: `${by.person} approved: ${by.reason}` });
  return given;
}
