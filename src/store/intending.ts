import { canonical } from '../core/ledger/canonical.ts';
import type { Content } from '../core/ledger/entry.ts';
import type { EstateCount, Place } from '../core/ledger/estate-count.ts';
import type { Address } from '../core/resource.ts';
import type { Intended, IntentDraft, Pass } from '../ports/ledger.ts';
import { actionKey, keyText } from './action-key.ts';
import { intentBody } from './entry-body.ts';
import { fieldsOf, type IntentRecord, placeOf } from './intent-record.ts';

/** What is known before drafts are judged. `open`: intents that stand open, by `keyText` of their action. */
export interface Standing {
  readonly open: ReadonlyMap<string, { readonly intent: string; readonly attempt: number }>;
  /** The generation that was applied or removed last, by address. */
  readonly applied: ReadonlyMap<Address, number>;
  /** Needed where a draft counts. */
  readonly count: EstateCount | undefined;
  readonly at: number;
  readonly nextId: () => string;
}

/** Answers in the order of the drafts, and what is to be written. An intent named twice stands once, as its last attempt. */
export interface Judged {
  readonly answers: readonly Intended[];
  readonly entries: readonly Omit<Content, 'at'>[];
  readonly intents: readonly (IntentRecord & { readonly details: string })[];
  readonly places: readonly (Place & { readonly intent: string })[];
}

export function intending(pass: Pass, drafts: readonly IntentDraft[], standing: Standing): Judged {
  const open = new Map(standing.open);
  const entries: Omit<Content, 'at'>[] = [];
  const intents = new Map<string, Judged['intents'][number]>();
  const places: Judged['places'][number][] = [];

  const judge = (draft: IntentDraft): Intended => {
    const action = actionKey(draft);
    const stale = staleness(pass, action.address, standing.applied.get(action.address));
    if (stale !== undefined) return stale;
    const before = open.get(keyText(action));
    const place = before ? undefined : placeOf(draft);
    const why = place && standing.count?.take(place);
    if (why !== undefined) return { ok: false, reason: 'limit', why };
    const intent = before?.intent ?? standing.nextId();
    const attempt = (before?.attempt ?? 0) + 1;
    const { generation } = pass.authority;
    const record = { intent, action, attempt, at: standing.at, generation, fields: fieldsOf(draft) };
    open.set(keyText(action), { intent, attempt });
    intents.set(intent, { ...record, details: canonical(draft.details) });
    if (place) places.push({ ...place, intent });
    entries.push({ type: 'intent', body: intentBody(pass, draft, record) });
    return { ok: true, intent, attempt };
  };
  return { answers: drafts.map(judge), entries, intents: [...intents.values()], places };
}

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
