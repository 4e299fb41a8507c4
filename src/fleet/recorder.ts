import type { Finding } from '../core/action.ts';
import type { RowsInput } from '../core/inventory/rows.ts';
import type { Progress } from '../engine/control.ts';
import type { Converged } from '../engine/converge.ts';
import { attemptOf, keepRows, type LookedBy } from '../estate/inventory-sync.ts';
import type { Where } from '../ports/queue.ts';
import type {
  ReconcileAccount,
  ReconcileBatch,
  ReconcileCounts,
  ReconcileDraft,
  ReconcileEntry,
  ReconcileGround,
  ReconcileSettled,
  ReconcileWait,
  ReconcileWithheld,
} from '../ports/reconciles.ts';
import type { ReconcileOutcome } from '../ports/telemetry.ts';
import type { WorkerContext } from './worker-context.ts';

/** Records the course of one reconcile. No reconcile fails because of the record, or waits for it for longer than a moment. */
export interface ReconcileRecorder {
  record(event: Progress): void;
  /** Waits that are none of the engine's. `since`: ms since the epoch. */
  waited(reason: ReconcileWait, detail: string, since: number): void;
  /** Records the ground of the reconcile. */
  rests(ground: Partial<ReconcileGround>, reason?: string): void;
  /** Records the start of the first observation: others see the reconcile run. */
  begins(): void;
  /** `afterMs`: another one is due then at the latest. */
  ended(outcome: ReconcileOutcome, why: string | undefined, afterMs: number | undefined): Promise<void>;
}

type RecorderPorts = Pick<WorkerContext, 'clock' | 'telemetry'> & {
  readonly store: Pick<WorkerContext['store'], 'reconciles'>;
};

export function reconcileRecorderOf(
  about: Where & { readonly reconcileId: string },
  paper: RecorderPorts,
): ReconcileRecorder {
  const { clock, store } = paper;
  const { estate, scope, reconcileId } = about;
  const timeline = timelineOf();
  let draft: ReconcileDraft = { id: reconcileId, estate, scope, began: clock.now(), ground: none };
  let begun = Promise.resolve();
  const keep = (write: () => Promise<void>): Promise<void> => kept(write, about, paper);
  return {
    record: (event) => {
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
      begun = keep(() => store.reconciles.begin(draft));
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
      const written = begun.then(() => keep(() => store.reconciles.end(draft, ending)));
      await atMost(written, clock);
    },
  };
}

const none: ReconcileGround = { targets: [], generation: 0, revision: '' };

const longestWhy = 1000;

/** An unavailable database is no fault of a reconcile. */
function kept(
  write: () => Promise<void>,
  { estate, scope, reconcileId }: Where & { readonly reconcileId: string },
  { telemetry }: RecorderPorts,
): Promise<void> {
  const fail = (error: unknown): void =>
    telemetry.log.warn('cannot record a reconcile', { estate, scope, reconcileId, reason: String(error) });
  // why: an error before the promise exists must not throw here either
  return Promise.resolve().then(write).catch(fail);
}

const patienceMs = 2_000;

async function atMost(written: Promise<void>, clock: WorkerContext['clock']): Promise<void> {
  const timer = new AbortController();
  const timeout = clock.sleep(patienceMs, timer.signal).catch(() => {});
  await Promise.race([written, timeout]);
  timer.abort();
}

/** The timeline of a reconcile so far: its first entries, and the number of further ones of each sort. */
interface Timeline {
  add(entry: ReconcileEntry): void;
  account(): ReconcileAccount;
  /** Nothing was sent, and nothing went wrong. */
  isQuiet(): boolean;
}

/** Of a reconcile that changed something, and of one that only observed. */
interface TimelineLimits {
  readonly most: number;
  readonly mostQuiet: number;
}

export function timelineOf({ most, mostQuiet }: TimelineLimits = { most: 2000, mostQuiet: 60 }): Timeline {
  const kept: ReconcileEntry[] = [];
  const beyond = new Map<ReconcileEntry['what'], number>();
  const counts: Counting = { reads: 0, writes: 0, settled: 0, failed: 0, withheld: 0, waitedMs: 0 };
  const isQuiet = (): boolean => counts.writes + counts.settled + counts.failed === 0;
  return {
    add: (entry) => {
      count(counts, entry);
      if (kept.length < most) kept.push(entry);
      else beyond.set(entry.what, (beyond.get(entry.what) ?? 0) + 1);
    },
    account: () => {
      const shown = isQuiet() ? kept.slice(0, mostQuiet) : [...kept];
      const rest = new Map(beyond);
      for (const { what } of kept.slice(shown.length)) rest.set(what, (rest.get(what) ?? 0) + 1);
      // why: calls are reported when they end, and listed by their start
      const timeline = shown.toSorted((a, b) => a.at - b.at);
      return { counts: { ...counts }, timeline, rest: Object.fromEntries(rest) };
    },
    isQuiet,
  };
}

type Counting = { -readonly [Key in keyof ReconcileCounts]: number };

function count(counts: Counting, entry: ReconcileEntry): void {
  switch (entry.what) {
    case 'call':
      counts[entry.mutating ? 'writes' : 'reads'] += 1;
      break;
    case 'wait':
      counts.waitedMs += entry.durationMs;
      break;
    case 'settled':
      counts[entry.code === undefined ? 'settled' : 'failed'] += 1;
      break;
    case 'withheld':
      counts.withheld += 1;
      break;
    case 'listed':
    case 'planned':
    case 'sent':
      break;
  }
}

/** The timeline's entry for a progress event at `now`; undefined where it has none. Takes declared fields only. */
export function entryOf(event: Progress, now: number): ReconcileEntry | undefined {
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
      return { what: 'planned', at: now, look: event.round, actions: event.actions, findings: event.findings };
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

function callOf(event: Progress & { at: 'called' }, now: number): ReconcileEntry {
  const { action, mutating, lanes: rateLimits, requestId, code } = event;
  const durationMs = Math.round(event.durationMs);
  return {
    what: 'call',
    at: now - durationMs,
    action,
    mutating,
    lanes: rateLimits,
    durationMs,
    ...(requestId === undefined ? {} : { requestId }),
    ...(code === undefined ? {} : { code: short(code) }),
  };
}

/** A launch may be of a thousand. */
const named = 10;

const batchOf = ({ kind, verb, addresses }: Progress & { at: 'acting' }): ReconcileBatch => ({
  kind,
  verb,
  count: addresses.length,
  addresses: addresses.slice(0, named),
});

const settledOf = ({ kind, verb, address, failure }: Progress & { at: 'settled' }): ReconcileSettled => ({
  kind,
  verb,
  address,
  ...(failure === undefined ? {} : { code: short(failure.code), why: short(failure.message) }),
});

const withheldOf = (finding: Finding): ReconcileWithheld => ({
  code: 'code' in finding ? finding.code : finding.type,
  ...('address' in finding && finding.address !== undefined ? { address: finding.address } : {}),
  why: short(finding.why),
});

/** A cloud's own words may be pages long. */
const longest = 500;

const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** One observation, planned by the active generation. */
export type PlanningResult = Omit<RowsInput, 'attempt'>;

/** Keeps the lines of the inventory beside a reconcile, which neither waits for it nor fails with it. */
export interface InventoryRecorder {
  /** Keeps the first observation at once: drift is visible before it is healed. */
  planned(looked: PlanningResult, by: LookedBy): void;
  /** Keeps the last observation, with the failed attempts, where it may differ from the first. */
  ended(rounds: Converged['rounds']): void;
  /** When all of it is kept, or has failed. */
  kept(): Promise<void>;
}

export function inventoryRecorderOf(
  where: Where,
  { store, telemetry }: Pick<WorkerContext, 'store' | 'telemetry'>,
): InventoryRecorder {
  let work = Promise.resolve();
  let newest: { readonly looked: PlanningResult; readonly by: LookedBy } | undefined;
  let kept: { readonly looked: PlanningResult; readonly rounds: number } | undefined;
  const keep = (looked: RowsInput, by: LookedBy): void => {
    work = work
      .then(() => keepRows(where, looked, by, store))
      .catch((error: unknown) => {
        telemetry.log.warn('cannot store the inventory', { ...where, reason: String(error) });
      });
  };
  return {
    planned: (looked, by) => {
      newest = { looked, by };
      if (kept !== undefined) return;
      kept = { looked, rounds: 0 };
      keep(looked, by);
    },
    ended: (rounds) => {
      if (newest === undefined || (newest.looked === kept?.looked && rounds.length === kept.rounds)) return;
      kept = { looked: newest.looked, rounds: rounds.length };
      const attempt = attemptOf(rounds);
      keep({ ...newest.looked, ...(attempt === undefined ? {} : { attempt }) }, newest.by);
    },
    kept: () => work,
  };
}
