import type { PauseAsked, Withdrawn } from '../ports/answers.ts';
import type { By } from '../ports/by.ts';
import { Declined } from '../ports/declined.ts';
import type { Store } from '../ports/store.ts';
import { type Grounds, openInForce } from './opened.ts';
import { hasScope } from './resumes.ts';
import { callsOnTheWay, wishPasses } from './wish.ts';

interface Withdrawal {
  readonly seq: number;
  readonly by: By;
}

/** By whoever may open the store. Undefined: no approval with this entry is in force. */
export async function withdrawApproval(
  estate: string,
  { seq, by }: Withdrawal,
  store: Store,
): Promise<Withdrawn | undefined> {
  const approval = await store.fleet.approvals.withdraw(estate, seq, by);
  if (approval === undefined) return undefined;
  const reason = `${by.person} withdrew an approval: ${by.reason}`;
  await wishPasses({ name: estate }, [approval.scope], { store, reason });
  return { approval, onTheWay: (await callsOnTheWay(estate, [approval.scope], store)).length };
}

/**
 * Over the API: an approval lets changes of all owners pass, so it is withdrawn by whoever may approve in all of its scope, or by
 * the person who gave it.
 */
export async function withdrawAsked(
  asked: PauseAsked,
  { seq, by }: Withdrawal,
  grounds: Pick<Grounds, 'store' | 'open'>,
): Promise<Withdrawn> {
  const { store } = grounds;
  const { estate } = await openInForce(asked.estate, grounds);
  const approval = (await store.fleet.approvals.given(asked.estate)).find((one) => one.seq === seq);
  if (approval === undefined) throw unknown();
  const isTheirs = approval.by.person === by.person || hasScope(asked.mine, approval.scope, estate);
  if (!isTheirs && !hasScope(asked.seen, approval.scope, estate)) throw unknown();
  if (!isTheirs)
    throw new Declined('forbidden', 'This needs the permission approve over all of the scope.', {
      permission: 'approve',
    });
  const withdrawn = await withdrawApproval(asked.estate, { seq, by }, store);
  if (withdrawn === undefined) throw unknown();
  return withdrawn;
}

const unknown = (): Declined => new Declined('unknown', 'There is nothing here that you may see.');
