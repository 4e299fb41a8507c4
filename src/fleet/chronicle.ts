import type { Progress } from '../engine/ports.ts';
import type { PassWait } from '../ports/pass-entry.ts';
import type { PassDraft, PassGround } from '../ports/passes.ts';
import type { Where } from '../ports/queue.ts';
import type { PassOutcome } from '../ports/telemetry.ts';
import { entryOf } from './pass-entry.ts';
import { timelineOf } from './timeline.ts';
import type { Yard } from './yard.ts';

/** Writes down how one pass went. Whatever becomes of that, no pass fails for it, or waits for it for longer than a moment. */
export interface Chronicle {
  tell(event: Progress): void;
  /** Waits that are none of the engine's. `since`: ms since the epoch. */
  waited(reason: PassWait, detail: string, since: number): void;
  /** What it rests on becomes known. */
  rests(ground: Partial<PassGround>, reason?: string): void;
  /** It begins to look and to act: others see it run. */
  begins(): void;
  /** `afterMs`: another one is due then at the latest. */
  ended(outcome: PassOutcome, why: string | undefined, afterMs: number | undefined): Promise<void>;
}

type Paper = Pick<Yard, 'clock' | 'telemetry'> & { readonly store: Pick<Yard['store'], 'passes'> };

export function chronicleOf(about: Where & { readonly reconcileId: string }, paper: Paper): Chronicle {
  const { clock, store } = paper;
  const { estate, scope, reconcileId } = about;
  const timeline = timelineOf();
  let draft: PassDraft = { id: reconcileId, estate, scope, began: clock.now(), ground: none };
  let begun = Promise.resolve();
  const keep = (write: () => Promise<void>): Promise<void> => kept(write, about, paper);
  return {
    tell: (event) => {
      const entry = entryOf(event, clock.now());
      if (entry !== undefined) timeline.add(entry);
    },
    waited: (reason, detail, since) => {
      const durationMs = clock.now() - since;
      if (durationMs > 0) timeline.add({ what: 'wait', at: since, reason, detail, durationMs });
    },
    rests: (ground, reason) => {
      draft = { ...draft, ground: { ...draft.ground, ...ground }, ...(reason === undefined ? {} : { reason }) };
    },
    begins: () => {
      begun = keep(() => store.passes.begin(draft));
    },
    ended: async (outcome, why, afterMs) => {
      const ended = clock.now();
      const ending = {
        ended,
        outcome,
        quiet: timeline.isQuiet() && outcome !== 'failed',
        account: timeline.account(),
        ...(why === undefined ? {} : { why: why.slice(0, longestWhy) }),
        ...(afterMs === undefined ? {} : { nextAt: ended + afterMs }),
      };
      const written = begun.then(() => keep(() => store.passes.end(draft, ending)));
      await atMost(written, clock);
    },
  };
}

const none: PassGround = { targets: [], generation: 0, revision: '' };

const longestWhy = 1000;

/** A database that is away is no fault of a pass. */
function kept(
  write: () => Promise<void>,
  { estate, scope, reconcileId }: Where & { readonly reconcileId: string },
  { telemetry }: Paper,
): Promise<void> {
  const fail = (error: unknown): void =>
    telemetry.log.warn('how a pass went was not written down', { estate, scope, reconcileId, why: String(error) });
  // why: what throws before it has a promise must not throw here either
  return Promise.resolve().then(write).catch(fail);
}

const patienceMs = 2_000;

async function atMost(written: Promise<void>, clock: Yard['clock']): Promise<void> {
  const timer = new AbortController();
  const timeout = clock.sleep(patienceMs, timer.signal).catch(() => {});
  await Promise.race([written, timeout]);
  timer.abort();
}
