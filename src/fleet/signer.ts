import { asLeader } from './leader.ts';
import type { Yard } from './yard.ts';

/** How often the signer looks for entries without a signature: words of people are signed at the next look. */
const lookEveryMs = 2_000;
/** Other entries are signed after so long, or so many of them. */
const signEvery = { ms: 50_000, entries: 1_000 };
/** How often a failure that lasts is logged. */
const sayEveryMs = 60_000;

type Means = Pick<Yard, 'store' | 'clock' | 'telemetry' | 'outside'>;

/**
 * Signs the ledgers of all estates while this process leads, and sends the checkpoints to witnesses. A process whose key is not the
 * one that signs does not lead.
 */
export async function signLedgers(yard: Means, signal: AbortSignal): Promise<void> {
  const { store, clock } = yard;
  const say = sayerOf(yard);
  while (!signal.aborted) {
    const [signer, own] = [await store.audit.claimKey('onlyFirst'), await store.audit.ownKey()];
    if (signer === own)
      return asLeader({ estate: '-', scope: 'signer' }, yard, signal, (lead) => lookAfter(yard, lead, say));
    say('another key signs the ledger: this process does not; see SETPOINT_SIGNING_KEY', { signer, own });
    await clock.sleep(sayEveryMs, signal).catch(() => {});
  }
}

type Say = (message: string, fields: Readonly<Record<string, string>>) => void;

async function lookAfter(yard: Means, lead: AbortSignal, say: Say): Promise<void> {
  const { store, clock } = yard;
  const delivering = deliveryOf(yard, say);
  /** When this process first saw an estate's entries unsigned. The first look signs all. */
  let seen: Map<string, number> | undefined;
  while (!lead.aborted) {
    const now = clock.now();
    const unsigned = await store.audit.unsigned();
    const due = unsigned.filter(({ estate, entries, words }) => {
      const since = seen === undefined ? 0 : (seen.get(estate) ?? now);
      return words > 0 || entries >= signEvery.entries || now - since >= signEvery.ms;
    });
    await signAll(due, yard, say);
    const signed = new Set(due.map(({ estate }) => estate));
    seen = new Map(unsigned.map(({ estate }) => [estate, signed.has(estate) ? now : (seen?.get(estate) ?? now)]));
    // why: a slow witness must keep nobody from a signature
    if (!delivering.isBusy()) delivering.start();
    await clock.sleep(lookEveryMs, lead).catch(() => {});
  }
  // why: a worker that stops leaves nothing unsigned; a signer that took over meanwhile is no harm, as numbers are taken under a lock
  await signAll(await store.audit.unsigned(), yard, say);
  await delivering.end();
  if (delivering.isBusy()) return;
  delivering.start();
  await delivering.end();
}

/** How long a signer that stops waits for its witnesses. */
const farewellMs = 10_000;

/** Sends to witnesses beside everything else, once at a time. */
function deliveryOf({ store, clock }: Means, say: Say) {
  let running: Promise<void> | undefined;
  const deliver = async (): Promise<void> => {
    try {
      for (const { witness, reason } of await store.audit.deliver())
        say('a witness takes no checkpoints', { witness, why: reason });
    } catch (error) {
      say('checkpoints are not sent to witnesses', { why: error instanceof Error ? error.message : String(error) });
    } finally {
      running = undefined;
    }
  };
  return {
    isBusy: () => running !== undefined,
    start: (): void => {
      running ??= deliver();
    },
    /** When what runs has ended, or has taken too long. */
    end: async (): Promise<void> => {
      const given = new AbortController();
      await Promise.race([running, clock.sleep(farewellMs, given.signal).catch(() => {})]);
      given.abort();
    },
  };
}

/** A ledger that cannot be signed, as one that was cut, keeps no other from its signature. */
async function signAll(due: readonly { readonly estate: string }[], { store }: Means, say: Say): Promise<void> {
  for (const { estate } of due)
    await store.audit.checkpoint(estate).catch((error: unknown) => {
      say('the ledger of an estate is not signed', {
        estate,
        why: error instanceof Error ? error.message : String(error),
      });
    });
}

/** Each failure once a minute. */
function sayerOf({ clock, telemetry }: Means): Say {
  const said = new Map<string, number>();
  return (message, fields) => {
    const key = `${message} ${fields['estate'] ?? fields['witness'] ?? ''}`;
    if (clock.now() - (said.get(key) ?? Number.NEGATIVE_INFINITY) < sayEveryMs) return;
    said.set(key, clock.now());
    telemetry.log.error(message, fields);
  };
}
