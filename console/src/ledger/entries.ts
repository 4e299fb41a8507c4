import type { LedgerEntry } from '../api.d.ts';

/** A request to the cloud. */
export interface EntryCall {
  readonly action: string;
  readonly requestId: string;
  readonly code: string;
}

/**
 * A line of the ledger for people. An action is one line, of its intent and its settlements.
 *
 *   outcome     | the action
 *   ------------+----------------------------------------------------------------
 *   done        | it succeeded
 *   failed      | the cloud refused it
 *   uncertain   | a call ended without a clear answer, and Setpoint looks for its effect
 *   open        | it has no settlement yet, by the entries that were read
 *   decision    | a note: somebody decided it
 */
export interface LedgerRow {
  readonly key: string;
  /** Of the newest entry. */
  readonly seq: number;
  readonly at: string;
  readonly outcome: 'done' | 'failed' | 'uncertain' | 'open' | 'decision';
  readonly verb: string;
  readonly address: string;
  /** The subject of a decision that names no resource: `target aws-prod`. */
  readonly subject: string;
  /** The failure, or the reason of a decision. */
  readonly reason: string;
  /** The people; empty: Setpoint by itself. */
  readonly actor: string;
  readonly generation: string;
  readonly revision: string;
  readonly reconcileId: string;
  readonly attempts: number;
  readonly calls: readonly EntryCall[];
  /** From the intent to the newest settlement; undefined: one of them is not known here. */
  readonly durationMs: number | undefined;
  /** The numbers of its entries, oldest first. */
  readonly entries: readonly number[];
}

/** `entries`: newest first, as the API lists them; so are the rows. */
export function ledgerRows(entries: readonly LedgerEntry[]): readonly LedgerRow[] {
  const groups = Map.groupBy(entries, ({ type, seq, body }) =>
    type === 'note' ? `note ${seq}` : `action ${text(body['intent']) || seq}`,
  );
  return [...groups].flatMap(([key, group]) => {
    const [newest] = group;
    if (newest === undefined) return [];
    return [newest.type === 'note' ? noteRow(key, newest) : actionRow(key, newest, group)];
  });
}

function actionRow(key: string, newest: LedgerEntry, group: readonly LedgerEntry[]): LedgerRow {
  const { seq, at, body } = newest;
  const authority = recordOf(body['authority']);
  const settlements = group.filter(({ type }) => type === 'settlement');
  const intent = group.findLast(({ type }) => type === 'intent');
  const [settled] = settlements;
  const approver = text(authority['approver']);
  return {
    ...{ key, seq, at },
    outcome: outcomeOf(newest),
    verb: text(body['verb']),
    address: text(body['address']),
    subject: '',
    reason: failureText(recordOf(settled?.body['outcome'])),
    actor: approver === unattended ? '' : approver,
    generation: text(authority['generation']),
    revision: text(authority['revision']),
    reconcileId: text(body['reconcileId']),
    attempts: Math.max(...group.map((one) => Number(text(one.body['attempt'])) || 1)),
    calls: settlements.toReversed().flatMap(callsOf),
    durationMs:
      intent === undefined || settled === undefined ? undefined : Date.parse(settled.at) - Date.parse(intent.at),
    entries: group.map((one) => one.seq).toReversed(),
  };
}

/** The name of Setpoint itself where nobody approved. */
const unattended = 'setpoint';

function outcomeOf({ type, body }: LedgerEntry): LedgerRow['outcome'] {
  if (type === 'intent') return 'open';
  if (recordOf(body['outcome'])['ok'] === true) return body['closes'] === false ? 'uncertain' : 'done';
  return body['closes'] === false ? 'uncertain' : 'failed';
}

function failureText(outcome: Fields): string {
  const { code, message } = recordOf(outcome['failure']);
  return [text(code), text(message)].filter((one) => one !== '').join(': ');
}

const callsOf = ({ body: { calls } }: LedgerEntry): readonly EntryCall[] =>
  Array.isArray(calls)
    ? calls.map(recordOf).map(({ action, requestId, code }) => ({
        ...{ action: text(action), requestId: text(requestId), code: text(code) },
      }))
    : [];

function noteRow(key: string, { seq, at, body }: LedgerEntry): LedgerRow {
  const [[verb, word] = ['note', {}]] = Object.entries(recordOf(body['note']));
  const note = recordOf(word);
  const by = recordOf(note['by']);
  const person = text(note['person']) || text(by['person']) || text(recordOf(note['authority'])['approver']);
  const of = recordOf(note['of']);
  const isAddress = of['by'] === 'address';
  return {
    ...{ key, seq, at, outcome: 'decision', verb },
    address: isAddress ? text(of['name']) : '',
    subject: isAddress ? '' : subjectText(note, of),
    reason: text(note['reason']) || text(by['reason']) || text(note['why']),
    actor: person === unattended ? '' : person,
    generation: text(note['generation']),
    revision: text(note['revision']),
    ...{ reconcileId: '', attempts: 1, calls: [], durationMs: undefined, entries: [seq] },
  };
}

function subjectText(note: Fields, of: Fields): string {
  if (of['by'] !== undefined) return [text(of['by']), text(of['name'])].filter((one) => one !== '').join(' ');
  const { documents } = note;
  if (Array.isArray(documents) && documents.length > 0) return documents.map(text).join(', ');
  return text(note['scope']) || text(note['document']) || text(note['name']);
}

/** A row of one entry alone, as one line. */
export function rowText(row: LedgerRow): string {
  const { outcome, verb, actor, generation, reason } = row;
  const cause = reason === '' ? '' : `: ${reason}`;
  switch (outcome) {
    case 'decision':
      return `Decision: ${verbText(row)}${actor === '' ? '' : `, by ${actor}`}`;
    case 'open':
      return `Intent to ${verb}, generation ${generation}${actor === '' ? '' : `, approved by ${actor}`}`;
    case 'done':
      return `Done: ${verb}`;
    case 'failed':
      return `Failed: ${verb}${cause}`;
    case 'uncertain':
      return `Not known yet: ${verb}${cause}`;
  }
}

const words: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  approval: 'Approval',
  withdrawApproval: 'Approval withdrawn',
  refuseApproval: 'Refusal',
  assign: 'Assignment',
  endAssignment: 'Assignment ended',
  comment: 'Comment',
  resumeRollout: 'Rollout resumed',
  resumeQuarantined: 'Quarantine ended',
  takeover: 'Takeover',
  pin: 'Pin',
  unpin: 'Pin removed',
  patch: 'Patch',
  endPatch: 'Patch ended',
  endDocument: 'Lifetime ended',
  makeToken: 'Token made',
  revokeToken: 'Token revoked',
  acceptHistory: 'History accepted',
};

/** `create`, `Pause`; a decision that this version of the console does not know has its own name. */
export const verbText = ({ outcome, verb }: Pick<LedgerRow, 'outcome' | 'verb'>): string =>
  outcome === 'decision' ? (words[verb] ?? verb) : verb;

export const filterKeys = ['estate', 'address', 'type', 'verb', 'actor', 'reconcileId', 'since', 'until'] as const;
export type LedgerFilterKey = (typeof filterKeys)[number];
export type LedgerFilter = Partial<Record<LedgerFilterKey, string>>;

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `12h`, as the API takes it. None is one too: it narrows nothing. */
export const isAge = (value: string | undefined): boolean => value === undefined || /^\d{1,4}[smhdw]$/.test(value);

/** The time of a filter, which is a time or an age; undefined: it is neither. */
export function timeOf(value: string | undefined, now: number): string | undefined {
  if (value === undefined) return undefined;
  const at = isAge(value) ? now - Number(value.slice(0, -1)) * (unitMs[value.slice(-1)] ?? 0) : Date.parse(value);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

type Fields = Readonly<Record<string, unknown>>;

const recordOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');
