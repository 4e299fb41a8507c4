import type { Failure } from '../core/failure.ts';
import type { Progress } from '../engine/ports.ts';
import type { Fields, Log } from '../ports/log.ts';
import type { Where } from '../ports/queue.ts';
import type { PassWatch } from '../ports/telemetry.ts';
import type { Instruments } from './instruments.ts';
import { cloudOf } from './lane-labels.ts';

export interface Watching {
  readonly log: Log;
  readonly instruments: Instruments;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}

/** Counts what a pass does, and says it. What a person must see is a warning; what repeats with every pass is for debugging. */
export function watchPass(
  about: Where & { readonly reconcileId: string },
  { log: unbound, instruments, monotonic }: Watching,
): PassWatch<Progress> {
  const { estate, scope, reconcileId } = about;
  const log = unbound.with({ reconcileId, estate, scope });
  const cloud = cloudOf(scope);
  const began = monotonic();
  const seen = { settled: 0, failed: 0, withheld: 0 };

  const count = (event: Progress): void => {
    if (event.at === 'acting')
      instruments.batches.observe({ cloud, kind: event.kind, verb: event.verb }, event.addresses.length);
    if (event.at === 'withheld') seen.withheld += 1;
    if (event.at !== 'settled') return;
    const outcome = event.failure === undefined ? 'settled' : 'failed';
    seen[outcome] += 1;
    instruments.intents.inc({ cloud, outcome });
  };

  return {
    log,
    tell: (event) => {
      count(event);
      say(log, event);
    },
    ended: (outcome, why) => {
      const durationMs = Math.round(monotonic() - began);
      instruments.passes.inc({ cloud, outcome });
      instruments.passSeconds.observe({ cloud }, durationMs / 1000);
      const fields: Fields = { outcome, ...seen, durationMs, ...(why === undefined ? {} : { why }) };
      if (outcome === 'failed') log.error('pass ended', fields);
      else log.info('pass ended', fields);
    },
  };
}

function say(log: Log, event: Progress): void {
  switch (event.at) {
    case 'observing':
      if (event.complete) log.debug('listed', { kind: event.kind, count: event.seen });
      break;
    case 'planned':
      log.debug('planned', { pass: event.pass, count: event.actions, findings: event.findings });
      break;
    case 'acting':
      log.debug('sending', { kind: event.kind, verb: event.verb, ...many(event.addresses) });
      break;
    case 'settled':
      saySettled(log, event);
      break;
    case 'withheld':
      log.debug('withheld', withheld(event.finding));
      break;
    case 'waiting':
      log.debug('waiting', { code: event.why, of: event.detail, ...forMs(event.forMs ?? event.atMostMs) });
      break;
    case 'waited':
    case 'called':
      break;
  }
}

function saySettled(log: Log, { kind, verb, address, failure }: Progress & { at: 'settled' }): void {
  const fields = { kind, verb, address };
  if (failure === undefined) log.info('settled', fields);
  else log.warn('failed', { ...fields, ...told(failure) });
}

const told = ({ code, requestId, message: why }: Failure): Fields =>
  requestId === undefined ? { code, why } : { code, requestId, why };

const many = ([address = '', ...more]: readonly string[]): Fields => ({ address, count: more.length + 1 });

const forMs = (ms: number | undefined): Fields => (ms === undefined ? {} : { forMs: ms });

const withheld = (finding: (Progress & { at: 'withheld' })['finding']): Fields => ({
  code: 'code' in finding ? finding.code : finding.type,
  ...('address' in finding ? { address: finding.address } : {}),
  why: finding.why,
});
