import { canonical } from '../core/ledger/canonical.ts';
import type { Place } from '../core/ledger/estate-count.ts';
import { fieldText, type Patch, type PatchEnd } from '../core/patch.ts';
import type { Held } from '../core/pause.ts';
import type { Address, CloudId, Kind } from '../core/resource.ts';
import type { KeptLifetime } from '../core/ttl.ts';
import type {
  Approval,
  ApprovalDraft,
  Assignment,
  AssignmentDraft,
  By,
  CommentDraft,
  Pause,
  Quarantined,
  Refusal,
} from '../ports/fleet-state.ts';
import type { Effect, IntentDraft, Reconcile, Settlement } from '../ports/ledger.ts';
import type { Where } from '../ports/queue.ts';
import type { Pin } from '../ports/sources.ts';
import type { Token } from '../ports/tokens.ts';

/** The ledger's entry of an intent. Every attempt is an entry of its own. */
export const intentBody = (reconcile: Reconcile, draft: IntentDraft, { intent, attempt }: IntentRecord) => ({
  ...reconcileBody(reconcile),
  ...subjectBody(actionKey(draft)),
  intent,
  attempt,
  details: draft.details,
  ...(draft.counts ? { counts: draft.counts } : {}),
  ...(draft.raisesCostBy === undefined ? {} : { raisesCostBy: draft.raisesCostBy }),
});

/** The ledger's entry of a settlement. The intent has the attributes; this has only the result. */
export const settlementBody = (
  reconcile: Reconcile,
  settlement: Settlement,
  { intent, attempt, action }: IntentRecord,
) => ({
  ...reconcileBody(reconcile),
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

const reconcileBody = ({ estate, scope, reconcileId, authority, lease }: Reconcile) => ({
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

/** An intent as the store keeps it beside the ledger. `at`: of its newest attempt. */
export interface IntentRecord {
  readonly intent: string;
  readonly action: ActionKey;
  readonly attempt: number;
  readonly at: number;
  readonly generation: number;
  /** The changed fields of an update, as one text. */
  readonly fields: string;
}

export function placeOf({ scope }: Pick<Reconcile, 'scope'>, { subject, counts }: IntentDraft): Place | undefined {
  const { address, id } = subject;
  return counts && { as: counts.as, by: counts.by, scope, address, subject: counts.of ?? id ?? address };
}

/** As the intent holds it. Each new machine has a place of its own, also where the one before it stood at the same address. */
export const heldPlace = (place: Place, intent: string): Place =>
  place.as === 'create' ? { ...place, subject: intent } : place;

/** The names of the fields in `details.changes`; where there are none, the details themselves. */
export function fieldsOf({ details }: IntentDraft): string {
  const { changes } = details;
  if (!Array.isArray(changes)) return canonical(details);
  return changes
    .map((change: unknown) => (isField(change) ? change.field : canonical(change)))
    .sort()
    .join(' ');
}

const isField = (value: unknown): value is { readonly field: string } =>
  typeof value === 'object' && value !== null && 'field' in value && typeof value.field === 'string';

/** The same action has the same key. `id` is '' for what has none yet; two objects of one address are two actions. */
export interface ActionKey {
  readonly verb: IntentDraft['verb'];
  readonly kind: Kind;
  readonly address: Address;
  readonly id: CloudId | '';
}

export const actionKey = ({ verb, subject }: IntentDraft): ActionKey => ({
  verb,
  kind: subject.kind,
  address: subject.address,
  id: subject.id ?? '',
});

export const keyText = ({ verb, address, id }: ActionKey): string => `${verb} ${address} ${id}`;

/** The columns of a row that say which action it is. Only `intend` writes them, from values of these types. */
export const actionOf = (row: {
  readonly verb: string;
  readonly kind: string;
  readonly address: string;
  readonly id: string;
}): ActionKey => ({
  verb: row.verb as IntentDraft['verb'], // why: see above
  kind: row.kind as Kind, // why: see above
  address: row.address,
  id: row.id,
});

/** The ledger's note of a person's pause. */

export const pauseNote = ({ at: _, ...pause }: Pause) => ({ pause });

/** `pauses`: the ids of those that end. */
export const resumeNote = ({ what, of, incident }: Held, pauses: readonly number[], { person, reason }: By) => ({
  resume: { what, of, ...(incident === undefined ? {} : { incident }), pauses, person, reason },
});

/** `number`, `revision`: of the generation that has the patch. */
export const patchNote = ({ at: _, isOver: __, ...patch }: Patch, { number, revision }: Accepted) => ({
  patch: { ...patch, generation: number, revision },
});

/** The same of the generation that no longer has it. */
export const endPatchNote = (
  { id, kind, name, fields }: Pick<Patch, 'id' | 'kind' | 'name' | 'fields'>,
  { as, why, person }: Omit<PatchEnd, 'id'>,
  { number, revision }: Accepted,
) => ({
  endPatch: {
    ...{ id, kind, name, as, fields: fields.map(({ path }) => fieldText(path)) },
    ...(person === undefined ? { why } : { person, reason: why }),
    ...{ generation: number, revision },
  },
});

/** Of a document whose lifetime is over, in the generation that no longer has it. */
export const endDocumentNote = ({ document, ttlMs, since }: KeptLifetime, { number, revision }: Accepted) => ({
  endDocument: { document, ttlMs, since, generation: number, revision },
});

interface Accepted {
  readonly number: number;
  readonly revision: string;
}

/** Of an approver only the roles: the names are those of their credential, and the note has the one that others know. */
export const approvalNote = ({ estate: _, approver, ...approval }: ApprovalDraft) => ({
  approval: { ...approval, ...(approver && { approver: { roles: Object.keys(approver.roles ?? {}) } }) },
});

export const withdrawalNote = ({ seq, scope }: Approval, { person, reason }: By) => ({
  withdrawApproval: { approval: seq, scope, person, reason },
});

type RefusalPart = Pick<Refusal, 'scope' | 'generation' | 'digest' | 'actions' | 'by'>;

export const refusalNote = ({ scope, generation, digest, actions, by: { person, reason } }: RefusalPart) => ({
  refuseApproval: { scope, generation, digest, actions, person, reason },
});

export const rolloutNote = ({ scope }: Where, documents: readonly string[], { person, reason }: By) => ({
  resumeRollout: { scope, documents, person, reason },
});

/** `why`: the failure, so that people can judge the note later. */
export const quarantineNote = ({ scope, why }: Pick<Quarantined, 'scope' | 'why'>, { person, reason }: By) => ({
  resumeQuarantined: { scope, why, person, reason },
});

/** The ledger's entry of a word on one resource. `address` lets a reader find it among the changes of the resource. */
export const resourceNoteBody = (
  { estate, address }: Pick<CommentDraft, 'estate' | 'address'>,
  note: Readonly<Record<string, unknown>>,
) => ({ ...noteBody(estate, note), address });

/** `replaced`: the earlier assignment. */
export const assignNote = (draft: AssignmentDraft, replaced: Assignment | undefined) => ({
  assign: { ...onResource(draft), ...(replaced && { replaces: replaced.person }) },
});

export const endAssignmentNote = (draft: AssignmentDraft, ended: Assignment) => ({
  endAssignment: { ...onResource(draft), assignee: ended.person },
});

/** Its text stands as the reason of the note, so that every list of decisions shows it. */
export const commentNote = ({ text: reason, ...draft }: CommentDraft) => ({
  comment: onResource({ ...draft, reason }),
});

const onResource = ({ address, person, reason }: AssignmentDraft) => ({
  of: { by: 'address', name: address },
  person,
  ...(reason === undefined ? {} : { reason }),
});

/** The ledger's note of a person's pin. */

export const pinNote = ({ revision, by: { person, reason } }: Omit<Pin, 'at'>) => ({
  pin: { revision, person, reason },
});

/** `revision`: the one that was pinned until then. */
export const unpinNote = (revision: string, { person, reason }: By) => ({ unpin: { revision, person, reason } });

export const historyNote = (head: string, { person, reason }: By) => ({ acceptHistory: { head, person, reason } });

/** The ledger's note of a new token. Never anything of a secret, not even its hash. */
export const makeTokenNote = ({ id, name, grants, expiresAt, maker, ...token }: Token) => ({
  makeToken: {
    id,
    name,
    grants,
    expiresAt,
    person: maker.person,
    ...(token.for === undefined ? {} : { for: token.for }),
  },
});

export const revokeTokenNote = ({ id, name }: Token, person: string) => ({ revokeToken: { id, name, person } });
