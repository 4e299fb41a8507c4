import type { HeldSource } from '../../core/render/plan-json.ts';
import { bareMoment, shortRevision, touchedText } from '../../core/render/wording.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { table } from './table.ts';

/** `entries`: the newest, newest last. `total`: of all that are asked for; absent: who asks may not see all. */
export interface Listed {
  readonly estate: string;
  readonly total?: number;
  readonly entries: readonly LedgerEntry[];
  readonly sources: readonly HeldSource[];
}

/** Entries as lines for people: when, what, to whom, with what outcome and by whom. */
export const ledgerTable = (entries: readonly LedgerEntry[], width?: number): string =>
  table(['SEQ', 'AT', 'TYPE', 'VERB', 'ADDRESS', 'OUTCOME', 'GEN', 'BY', 'CALLS'], entries.map(row), width);

function row({ seq, at, type, body }: LedgerEntry): readonly string[] {
  const authority = member(body, 'authority');
  return [
    String(seq),
    bareMoment(at, 'second'),
    type,
    text(body['verb']),
    type === 'note' ? noteText(member(body, 'note')) : text(body['address']),
    type === 'settlement' ? outcome(member(body, 'outcome')) : '',
    text(authority['generation']),
    text(authority['approver']),
    type === 'intent' ? drift(member(body, 'details')) : calls(body['calls']),
  ];
}

/** Whose change an intent undoes: `changed by bob (StopInstances from 203.0.113.9) at 2026-01-01 08:00:00 UTC`. */
function drift(details: Readonly<Record<string, unknown>>): string {
  const { who, action, from, at } = member(details, 'by');
  if (typeof who !== 'string' || typeof action !== 'string' || typeof at !== 'number') return '';
  return touchedText({ who, action, at, event: '', ...(typeof from === 'string' ? { from } : {}) });
}

/**
 * `pause by ann: a freeze`, `pin at commit 1a2b3c4 by ann: #815`: a person's word by what it is, who gave it and why; of anything
 * else its beginning.
 */
function noteText(note: Readonly<Record<string, unknown>>): string {
  const [kind = ''] = Object.keys(note);
  const said = member(note, kind);
  const { person, reason } = 'by' in said ? member(said, 'by') : said;
  if (text(person) === '') return JSON.stringify(note).slice(0, 80);
  const at = text(said['revision']) || text(said['head']);
  return `${kind}${at === '' ? '' : ` at ${shortRevision(at)}`} by ${text(person)}: ${text(reason) || text(said['name'])}`;
}

const outcome = (said: Readonly<Record<string, unknown>>): string =>
  said['ok'] === true ? 'ok' : text(member(said, 'failure')['code']);

/** `RunInstances 1f2e…`: the cloud's own request ids, to ask its support about. */
function calls(made: unknown): string {
  if (!Array.isArray(made)) return '';
  return made
    .map((call: unknown) => (isObject(call) ? `${text(call['action'])} ${text(call['requestId'])}`.trim() : ''))
    .join(', ');
}

function member(of: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = of[name];
  return isObject(value) ? value : {};
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
