import { withField } from '../diff.ts';
import type { TouchedBy } from '../last-modified.ts';
import type { Address, CloudId, Kind, ScopeKey } from '../resource.ts';
import { fieldsOf, type Linked } from './entry.ts';

/** One change that this estate made, out of the ledger: an intent with its settlement. */
export interface Write {
  /** The number of the intent, else of the settlement, if the intent lies beyond the entries that were read. */
  readonly seq: number;
  /** When it was settled; when it was intended, while it is open. Ms since the epoch. */
  readonly at: number;
  readonly verb: string;
  readonly kind: Kind;
  readonly address: Address;
  readonly id?: CloudId;
  readonly scope: ScopeKey;
  readonly reconcileId: string;
  readonly revision: string;
  readonly generation: number;
  readonly approver: string;
  /** `open`: nobody knows yet if the call happened. */
  readonly outcome: 'ok' | 'failed' | 'open';
  readonly calls: readonly WriteCall[];
  /** The change outside Setpoint that it undid. */
  readonly undid?: TouchedBy;
  /** The values as they were sent, or the removed ones; absent where the intent was not read. */
  readonly attributes?: unknown;
  /** Of an update or a removal: the values before it. Absent where the intent was not read. */
  readonly before?: object;
}

interface WriteCall {
  readonly action: string;
  readonly requestId?: string;
}

/** The writes that these entries tell of, the newest first. Attempts of one intent are one write; notes are none. */
export function writesIn(entries: readonly Linked[]): readonly Write[] {
  const acting = entries.filter(({ type, body }) => type !== 'note' && typeof body['intent'] === 'string');
  const byIntent = Map.groupBy(acting, ({ body }) => body['intent']);
  const writes = [...byIntent.values()].flatMap((those) => writeOf(those.toSorted((a, b) => a.seq - b.seq)));
  return writes.toSorted((a, b) => b.at - a.at || b.seq - a.seq);
}

/** `entries`: of one intent, the oldest first. */
function writeOf(entries: readonly Linked[]): readonly Write[] {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return [];
  const intents = entries.filter(({ type }) => type === 'intent');
  const settlements = entries.filter(({ type }) => type === 'settlement');
  const { body } = last;
  const authority = fieldsOf(body['authority']);
  const id = textOf(body['id']) ?? claimedId(settlements);
  const { by, attributes, changes } = fieldsOf(intents.at(-1)?.body['details']);
  const verb = textOf(body['verb']) ?? '';
  const before = beforeOf({ verb, attributes, changes });
  const undid = undidOf(by);
  return [
    {
      seq: first.seq,
      at: last.at,
      verb,
      kind: body['kind'] as Kind, // why: the ledger's own entries have a kind of ours
      address: textOf(body['address']) ?? '',
      ...(id === undefined ? {} : { id }),
      scope: textOf(body['scope']) ?? '',
      reconcileId: textOf(body['reconcileId']) ?? '',
      revision: textOf(authority['revision']) ?? '',
      generation: typeof authority['generation'] === 'number' ? authority['generation'] : 0,
      approver: textOf(authority['approver']) ?? '',
      outcome: outcomeOf(settlements.at(-1)),
      calls: settlements.flatMap((one) => callsOf(one.body['calls'])),
      ...(undid === undefined ? {} : { undid }),
      ...(attributes === undefined ? {} : { attributes }),
      ...(before === undefined ? {} : { before }),
    },
  ];
}

/** An update states its values as they were sent, and each changed field with the value before. */
function beforeOf({ verb, attributes, changes }: Readonly<Record<string, unknown>>): object | undefined {
  if (typeof attributes !== 'object' || attributes === null) return undefined;
  if (verb === 'delete') return attributes;
  if (verb !== 'update' || !Array.isArray(changes)) return undefined;
  return changes.map(fieldsOf).reduce((values: object, { field, from }) => {
    return typeof field === 'string' ? withField(values, field.split('.'), from) : values;
  }, attributes);
}

/** A settlement that does not close its intent leaves it open: the call may have happened. */
function outcomeOf(settlement: Linked | undefined): Write['outcome'] {
  if (settlement === undefined) return 'open';
  if (fieldsOf(settlement.body['outcome'])['ok'] === true) return 'ok';
  return settlement.body['closes'] === true ? 'failed' : 'open';
}

/** The id that a creation got. */
function claimedId(settlements: readonly Linked[]): CloudId | undefined {
  const effects = settlements.flatMap(({ body }) => (Array.isArray(body['effects']) ? body['effects'] : []));
  const claim = effects.map(fieldsOf).find((effect) => effect['do'] === 'claim');
  return textOf(fieldsOf(claim?.['subject'])['id']);
}

function callsOf(calls: unknown): readonly WriteCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.map(fieldsOf).flatMap((call): readonly WriteCall[] => {
    const [action, requestId] = [textOf(call['action']), textOf(call['requestId'])];
    if (action === undefined) return [];
    return [requestId === undefined ? { action } : { action, requestId }];
  });
}

function undidOf(by: unknown): TouchedBy | undefined {
  const { at, ...fields } = fieldsOf(by);
  const [who, action] = [textOf(fields['who']), textOf(fields['action'])];
  if (who === undefined || action === undefined || typeof at !== 'number') return undefined;
  const [from, agent, requestId] = [textOf(fields['from']), textOf(fields['agent']), textOf(fields['requestId'])];
  return {
    who,
    action,
    event: textOf(fields['event']) ?? '',
    at,
    ...(from === undefined ? {} : { from }),
    ...(agent === undefined ? {} : { agent }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
