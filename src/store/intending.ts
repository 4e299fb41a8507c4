import { canonical } from '../core/ledger/canonical.ts';
import type { Content } from '../core/ledger/entry.ts';
import type { EstateCount, Place } from '../core/ledger/estate-count.ts';
import type { Address } from '../core/resource.ts';
import type { Intended, IntentDraft, Pass } from '../ports/ledger.ts';
import { actionKey, keyText } from './action-key.ts';
import { unapproved } from './approval-uses.ts';
import { intentBody } from './entry-body.ts';
import { isGuarded } from './guard-epochs.ts';
import { fieldsOf, heldPlace, type IntentRecord, placeOf } from './intent-record.ts';

/** What is known before drafts are judged. `open`: intents that stand open, by `keyText` of their action. */
export interface Standing extends Known {
  /** Knows an answer for all of `placesWanted`. */
  readonly count: EstateCount;
  /** Undefined: people said something stricter since the pass was judged. */
  readonly guardEpoch: number | undefined;
  /** No approval lets them pass any more. */
  readonly unapproved: ReadonlySet<IntentDraft>;
  readonly at: number;
  readonly nextId: () => string;
}

interface Known {
  readonly open: ReadonlyMap<string, { readonly intent: string; readonly attempt: number }>;
  /** The generation that was applied or removed last, by address. */
  readonly applied: ReadonlyMap<Address, number>;
}

/** Answers in the order of the drafts, and what is to be written. An intent named twice stands once, as its last attempt. */
export interface Judged {
  readonly answers: readonly Intended[];
  readonly entries: readonly Omit<Content, 'at'>[];
  readonly intents: readonly (IntentRecord & { readonly details: string; readonly guardEpoch: number | undefined })[];
  readonly places: readonly (Place & Pick<IntentRecord, 'intent' | 'generation' | 'at'>)[];
}

export function intending(pass: Pass, drafts: readonly IntentDraft[], standing: Standing): Judged {
  const open = new Map(standing.open);
  const entries: Omit<Content, 'at'>[] = [];
  const intents = new Map<string, Judged['intents'][number]>();
  const places: Judged['places'][number][] = [];

  const judge = (draft: IntentDraft): Intended => {
    const action = actionKey(draft);
    const { guardEpoch } = standing;
    const forbidden = forbiddance(pass, draft, standing);
    if (forbidden !== undefined) return forbidden;
    const before = open.get(keyText(action));
    const place = before ? undefined : placeOf(pass, draft);
    const why = place && standing.count.take(place);
    if (why !== undefined) return { ok: false, reason: 'limit', why };
    const intent = before?.intent ?? standing.nextId();
    const attempt = (before?.attempt ?? 0) + 1;
    const { generation } = pass.authority;
    const record = { intent, action, attempt, at: standing.at, generation, fields: fieldsOf(draft) };
    open.set(keyText(action), { intent, attempt });
    intents.set(intent, { ...record, guardEpoch, details: canonical(draft.details) });
    if (place) places.push({ ...heldPlace(place, intent), intent, generation, at: standing.at });
    entries.push({ type: 'intent', body: intentBody(pass, draft, record) });
    return { ok: true, intent, attempt };
  };
  return { answers: drafts.map(judge), entries, intents: [...intents.values()], places };
}

function forbiddance(
  pass: Pass,
  draft: IntentDraft,
  { guardEpoch, unapproved: without, applied }: Standing,
): Extract<Intended, { ok: false }> | undefined {
  if (guardEpoch === undefined && isGuarded(draft)) return overruled;
  if (without.has(draft)) return unapproved;
  return staleness(pass, draft.subject.address, applied.get(draft.subject.address));
}

/** The places that these drafts would take, perhaps one twice: an intent that stands open has its place. */
export function placesWanted(pass: Pass, drafts: readonly IntentDraft[], { open, applied }: Known): readonly Place[] {
  return drafts.flatMap((draft) => {
    const { address } = draft.subject;
    if (staleness(pass, address, applied.get(address)) !== undefined || open.has(keyText(actionKey(draft)))) return [];
    return placeOf(pass, draft) ?? [];
  });
}

/** The epoch has moved: people paused something, or another generation came. */
export const overruled: Extract<Intended, { ok: false }> = {
  ok: false,
  reason: 'guards',
  why: 'people changed what may be done since this was planned. Nothing was sent; plan again.',
};

/** No lower generation is applied after a higher one. */
export function staleness(
  { authority: { generation } }: Pass,
  address: Address,
  applied: number | undefined,
): Extract<Intended, { ok: false }> | undefined {
  if (applied === undefined || applied <= generation) return undefined;
  const why = `generation ${applied} is already in force at ${address}, and this pass is of generation ${generation}. Nothing was sent; plan again with the newest specs.`;
  return { ok: false, reason: 'generation', why };
}
