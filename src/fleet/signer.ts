import { messageOf } from '../core/text.ts';
import type { Log } from '../ports/clock-and-log.ts';
import { taskLeases } from '../ports/leases.ts';
import type { UnsignedEstate } from '../ports/store.ts';
import { asLeader } from './supervisor.ts';
import type { WorkerContext } from './worker-context.ts';

/** Interval of polling for entries without a signature. The signer signs decisions of people at once. */
const pollEveryMs = 2_000;
/** The signer signs other entries after so long, or so many of them. */
const signEvery = { ms: 50_000, entries: 1_000 };
/** Interval of checking, with another key, that somebody signs: longer than a signer leaves an entry unsigned. */
const checkEveryMs = 60_000;
/** Interval of logging a lasting failure. */
const logEveryMs = 60_000;

type Means = Pick<WorkerContext, 'store' | 'clock' | 'telemetry' | 'outside'>;

/**
 * Signs the ledgers of all estates while this process leads, and sends the checkpoints to witnesses. A process whose key is not the
 * one that signs does not lead. It checks that somebody signs.
 */
export async function signLedgers(context: Means, signal: AbortSignal): Promise<void> {
  const { store, clock, telemetry } = context;
  const logError = errorLog(context);
  const staysUnsigned = unsignedCheck();
  let hasWarned = false;
  while (!signal.aborted) {
    const [signer, own] = [await store.audit.claimKey('onlyFirst'), await store.audit.ownKey()];
    if (signer === own)
      return asLeader(taskLeases.signer, context, signal, (lead) => signWhileLeading(context, lead, logError));
    if (!hasWarned)
      telemetry.log.warn('another key signs the ledger, so this process does not; see SETPOINT_SIGNING_KEY', {
        reason: `the key ${signer} signs, and this process has ${own}`,
      });
    hasWarned = true;
    for (const { estate, entries } of staysUnsigned(await store.audit.unsigned()))
      logError('no worker signs the ledger of an estate', {
        ...{ estate, count: entries },
        reason: `start a worker that has the key ${signer}, or let another key sign: setpoint ledger rekey --reason TEXT`,
      });
    await clock.sleep(checkEveryMs, signal).catch(() => {});
  }
}

/** Tells the estates that were unsigned at the check before too, and got no checkpoint since. */
function unsignedCheck(): (unsigned: readonly UnsignedEstate[]) => readonly UnsignedEstate[] {
  let before: ReadonlyMap<string, number> = new Map();
  return (unsigned) => {
    const staying = unsigned.filter(({ estate, checkpoint }) => before.get(estate) === checkpoint);
    before = new Map(unsigned.map(({ estate, checkpoint }) => [estate, checkpoint]));
    return staying;
  };
}

type LogError = Log['error'];

async function signWhileLeading(context: Means, lead: AbortSignal, logError: LogError): Promise<void> {
  const { store, clock } = context;
  const delivering = deliveryOf(context, logError);
  /** When this process first saw an estate's entries unsigned. The first poll signs all. */
  let seen: Map<string, number> | undefined;
  while (!lead.aborted) {
    const now = clock.now();
    for (const { estate, signed, held } of await store.audit.lost())
      logError('the database lost commits: nothing is deleted, replaced or stopped in the estate', {
        estate,
        reason: `checkpoint ${signed} was signed, and the ledger ends at ${held || 'none'}; accept the loss: setpoint ledger accept-loss --reason TEXT`,
      });
    const unsigned = await store.audit.unsigned();
    const due = unsigned.filter(({ estate, entries, words }) => {
      const since = seen === undefined ? 0 : (seen.get(estate) ?? now);
      return words > 0 || entries >= signEvery.entries || now - since >= signEvery.ms;
    });
    await signAll(due, context, logError);
    const signed = new Set(due.map(({ estate }) => estate));
    seen = new Map(unsigned.map(({ estate }) => [estate, signed.has(estate) ? now : (seen?.get(estate) ?? now)]));
    // why: a slow witness must keep nobody from a signature
    if (!delivering.isBusy()) delivering.start();
    await clock.sleep(pollEveryMs, lead).catch(() => {});
  }
  // why: a worker that stops leaves nothing unsigned; a signer that took over meanwhile is no harm, as numbers are taken under a lock
  await signAll(await store.audit.unsigned(), context, logError);
  await delivering.end();
  if (delivering.isBusy()) return;
  delivering.start();
  await delivering.end();
}

/** The time that a stopping signer waits for its witnesses. */
const shutdownMs = 10_000;

/** Sends to witnesses beside everything else, once at a time. */
function deliveryOf({ store, clock }: Means, logError: LogError) {
  let running: Promise<void> | undefined;
  const deliver = async (): Promise<void> => {
    try {
      for (const { witness, reason } of await store.audit.deliver())
        logError('a witness rejects checkpoints', { witness, reason });
    } catch (error) {
      logError('checkpoints are not sent to witnesses', {
        reason: messageOf(error),
      });
    } finally {
      running = undefined;
    }
  };
  return {
    isBusy: () => running !== undefined,
    start: (): void => {
      running ??= deliver();
    },
    /** Returns when the delivery under way has ended, or has taken too long. */
    end: async (): Promise<void> => {
      const given = new AbortController();
      await Promise.race([running, clock.sleep(shutdownMs, given.signal).catch(() => {})]);
      given.abort();
    },
  };
}

/** A ledger that cannot be signed, as one that was cut, keeps no other from its signature. */
async function signAll(
  due: readonly { readonly estate: string }[],
  { store }: Means,
  logError: LogError,
): Promise<void> {
  for (const { estate } of due)
    await store.audit.checkpoint(estate).catch((error: unknown) => {
      logError('the ledger of an estate is not signed', {
        estate,
        reason: messageOf(error),
      });
    });
}

/** Logs each failure of an estate or witness once a minute. */
function errorLog({ clock, telemetry }: Means): LogError {
  const loggedAt = new Map<string, number>();
  return (message, fields = {}) => {
    const key = `${message} ${fields.estate ?? fields.witness ?? ''}`;
    if (clock.now() - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return;
    loggedAt.set(key, clock.now());
    telemetry.log.error(message, fields);
  };
}
