import type { Finding } from '../core/action.ts';
import type { Progress } from '../engine/ports.ts';
import type { PassBatch, PassEntry, PassSettled, PassWithheld } from '../ports/pass-entry.ts';

/** What a pass's timeline says of what it was told at `now`; undefined where it says nothing. Takes declared fields only. */
export function entryOf(event: Progress, now: number): PassEntry | undefined {
  switch (event.at) {
    case 'called':
      return callOf(event, now);
    case 'waited': {
      const { why: reason, detail, forMs: durationMs } = event;
      return { what: 'wait', at: now - durationMs, reason, detail: short(detail), durationMs };
    }
    case 'observing':
      return event.complete ? { what: 'listed', at: now, kind: event.kind, count: event.seen } : undefined;
    case 'planned':
      return { what: 'planned', at: now, look: event.pass, actions: event.actions, findings: event.findings };
    case 'acting':
      return { what: 'sent', at: now, ...batchOf(event) };
    case 'settled':
      return { what: 'settled', at: now, ...settledOf(event) };
    case 'withheld':
      return { what: 'withheld', at: now, ...withheldOf(event.finding) };
    case 'waiting':
      return undefined;
  }
}

function callOf(event: Progress & { at: 'called' }, now: number): PassEntry {
  const { action, mutating, lanes, requestId, code } = event;
  const durationMs = Math.round(event.durationMs);
  return {
    what: 'call',
    at: now - durationMs,
    action,
    mutating,
    lanes,
    durationMs,
    ...(requestId === undefined ? {} : { requestId }),
    ...(code === undefined ? {} : { code: short(code) }),
  };
}

/** A launch may be of a thousand. */
const named = 10;

const batchOf = ({ kind, verb, addresses }: Progress & { at: 'acting' }): PassBatch => ({
  kind,
  verb,
  count: addresses.length,
  addresses: addresses.slice(0, named),
});

const settledOf = ({ kind, verb, address, failure }: Progress & { at: 'settled' }): PassSettled => ({
  kind,
  verb,
  address,
  ...(failure === undefined ? {} : { code: short(failure.code), why: short(failure.message) }),
});

const withheldOf = (finding: Finding): PassWithheld => ({
  code: 'code' in finding ? finding.code : finding.type,
  ...('address' in finding && finding.address !== undefined ? { address: finding.address } : {}),
  why: short(finding.why),
});

/** A cloud's own words may be pages long. */
const longest = 500;

const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);
