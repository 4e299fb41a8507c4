import type { Failure } from '../core/failure.ts';
import type { Observed } from '../core/observed.ts';
import type { CloudId } from '../core/resource.ts';
import { visibilityMs } from './absence.ts';
import { unlessLeaseLost, wait } from './control.ts';
import type { ExecutionContext } from './execution-context.ts';
import { healthOf } from './launch-health.ts';

/** Machines, and the state that each of them is to reach. */
export interface Awaited {
  readonly ids: readonly CloudId[];
  readonly state: 'ready' | 'gone';
  /** This reconcile launched them to run: one that stopped has failed. */
  readonly launched?: boolean;
  /** They count as ready once the cloud's status checks passed and they were ready for so long. Absent: once they run, or stand still. */
  readonly minReadyMs?: number;
}

/** The failures of machines that did not reach their state, by id; empty where all reached it. */
export type Missed = ReadonlyMap<CloudId, Failure>;

/** Machines that take longer than this to become ready are left to the next reconcile. */
const patienceMs = 600_000;
const firstMs = 1000;
const thenMs = 5000;

/**
 * Reads the machines together until each is in its state, or never will be. Rejects when the reconcile must stop.
 *
 *   awaited | seen                                     | then
 *   --------+------------------------------------------+------------------------------------------
 *   ready   | runs, checks passed, for `minReadyMs`    | reached
 *   ready   | runs, checks not passed or too short     | wait
 *   ready   | stopped, and it was launched to run      | failed: Stopped
 *   ready   | being deleted, or dead and still listed  | failed: Died
 *   ready   | not found, inside the visibility window  | wait: a new machine may not show yet
 *   ready   | not found, after it                      | failed: Died
 *   gone    | not found, or dead and still listed      | reached
 *   any     | anything else, or no answer              | wait; failed after ten minutes: NotReady, NotGone
 */
export async function awaitState(awaited: Awaited, context: ExecutionContext): Promise<Missed> {
  const { clock } = context.ports;
  const { state, minReadyMs = 0 } = awaited;
  const from = clock.now();
  const missed = new Map<CloudId, Failure>();
  const since = readyBefore(awaited, context);
  let waiting = awaited.ids;
  for (let pauseMs = firstMs; waiting.length > 0; pauseMs = thenMs) {
    if (clock.now() - from >= patienceMs + minReadyMs) {
      for (const id of waiting) missed.set(id, lateFailures[state](id));
      return missed;
    }
    const progress = { why: state, detail: `${waiting.length} instance`, forMs: pauseMs };
    await wait(progress, { clock, waits: context.cancellation.waits, notify: context.notify });
    const isShown = clock.now() - from >= visibilityMs;
    const seen = await judge(waiting, (one) => judges[state](one, { ...awaited, isShown }), context);
    const verdicts = awaited.minReadyMs !== undefined ? await prove(seen, since, awaited, context) : seen;
    for (const [id, verdict] of verdicts) if (typeof verdict === 'object') missed.set(id, verdict);
    waiting = waiting.filter((id) => verdicts.get(id) === 'wait');
  }
  return missed;
}

/** `reached`: it is where it is to be. `stands`: the same, and it stands still, so that nothing can check it. */
type Verdict = 'reached' | 'stands' | 'wait' | Failure;
type Verdicts = ReadonlyMap<CloudId, Verdict>;

async function judge(
  ids: readonly CloudId[],
  verdictOf: (seen: Seen) => Verdict,
  { at, calls }: ExecutionContext,
): Promise<Verdicts> {
  const results = await at.site.session.actuators.instance.read(ids, calls.reading());
  return new Map(
    ids.map((id, i) => {
      const result = results[i];
      // why: an answer that failed says nothing; it is asked again
      return [id, result?.ok ? verdictOf({ id, observed: result.value }) : 'wait'];
    }),
  );
}

interface Seen {
  readonly id: CloudId;
  readonly observed: Observed<'instance'> | undefined;
}

interface Circumstances {
  readonly launched?: boolean;
  /** True where a cloud would show the machine by now, however late it shows writes. */
  readonly isShown: boolean;
}

function readiness({ id, observed }: Seen, { launched, isShown }: Circumstances): Verdict {
  if (observed === undefined) return isShown ? failed('Died', `${id} is not there any more`) : 'wait';
  const { condition, attributes } = observed;
  const because = condition.reason === undefined ? '' : `: ${condition.reason}`;
  if (condition.state === 'gone') return failed('Died', `${id} was ended before it was ready${because}`);
  if (condition.state === 'deleting') return failed('Died', `${id} is being ended before it was ready${because}`);
  const stands = attributes.machine.power === 'stopped';
  if (launched && stands) return failed('Stopped', `${id} stopped before it was ready${because}`);
  if (condition.state !== 'ready') return 'wait';
  return stands ? 'stands' : 'reached';
}

const departure = ({ observed }: Seen): Verdict =>
  observed === undefined || observed.condition.state === 'gone' ? 'reached' : 'wait';

const judges = { ready: readiness, gone: departure } as const;

/** Since when each machine is ready, as far as earlier reconciles know it. */
function readyBefore({ ids }: Awaited, { known }: ExecutionContext): Map<CloudId, number> {
  const wanted = new Set(ids);
  const births = known.knowledge.births ?? [];
  return new Map(
    births.flatMap(({ id, readySince }) =>
      wanted.has(id) && readySince !== undefined ? [[id, readySince] as const] : [],
    ),
  );
}

/** Of those that run: whether their checks passed, and `minReadyMs` went by since. What is learnt is kept for the reconciles after this. */
async function prove(
  seen: Verdicts,
  since: Map<CloudId, number>,
  { minReadyMs = 0 }: Awaited,
  context: ExecutionContext,
): Promise<Verdicts> {
  const { at, calls, ports } = context;
  const running = [...seen].flatMap(([id, verdict]) => (verdict === 'reached' ? [id] : []));
  const unchecked = running.filter((id) => !since.has(id));
  const healths = await healthOf(unchecked, at.site, calls.reading());
  const now = ports.clock.now();
  const passed = unchecked.filter((id) => healths.get(id)?.state === 'passed');
  for (const id of passed) since.set(id, now);
  if (passed.length > 0) {
    const verdicts = passed.map((id) => ({ id, as: 'ready', at: now, proven: minReadyMs === 0 }) as const);
    await unlessLeaseLost(() => ports.inventory.births(at.authorization.reconcile, verdicts));
  }
  return new Map(
    [...seen].map(([id, verdict]): readonly [CloudId, Verdict] => {
      if (verdict === 'wait') since.delete(id);
      if (verdict !== 'reached') return [id, verdict];
      const health = healths.get(id);
      if (health?.state === 'failed')
        return [id, failed('Failed', `${id} failed before it was ready: ${health.detail}`)];
      return [id, now - (since.get(id) ?? Number.POSITIVE_INFINITY) >= minReadyMs ? 'reached' : 'wait'];
    }),
  );
}

const failed = (code: string, message: string): Failure => ({ kind: 'terminal', code, message });

const lateFailures = {
  ready: (id: CloudId) => failed('NotReady', `${id} was not ready within ten minutes`),
  gone: (id: CloudId) => failed('NotGone', `${id} was not gone within ten minutes`),
} as const;
