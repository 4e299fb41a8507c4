import type { Effect, IntentDraft, Pass, Settlement } from '../ports/ledger.ts';
import { type ActionKey, actionKey } from './action-key.ts';
import type { IntentRecord } from './intent-record.ts';

/** What the ledger says of an intent. Every attempt is an entry of its own. */
export const intentBody = (pass: Pass, draft: IntentDraft, { intent, attempt }: IntentRecord) => ({
  ...passBody(pass),
  ...subjectBody(actionKey(draft)),
  intent,
  attempt,
  details: draft.details,
  ...(draft.counts ? { counts: draft.counts } : {}),
});

/** What the ledger says of a settlement. Attributes stand in the intent; here only what was done with them. */
export const settlementBody = (pass: Pass, settlement: Settlement, { intent, attempt, action }: IntentRecord) => ({
  ...passBody(pass),
  ...subjectBody(action),
  intent,
  attempt,
  outcome: settlement.outcome,
  closes: settlement.closes,
  effects: settlement.effects.map(effectBody),
  calls: settlement.calls,
});

function effectBody(effect: Effect): object {
  if (effect.do === 'apply') return { do: effect.do, address: effect.address };
  if (effect.do !== 'claim') return effect;
  const { launched: _, ...claim } = effect;
  return claim;
}

export const noteBody = (estate: string, note: Readonly<Record<string, unknown>>) => ({ estate, note });

const passBody = ({ estate, scope, reconcileId, authority, lease }: Pass) => ({
  estate,
  scope,
  reconcileId,
  authority,
  lease,
});

const subjectBody = ({ verb, kind, address, id }: ActionKey) => ({
  verb,
  kind,
  address,
  ...(id === '' ? {} : { id }),
});
