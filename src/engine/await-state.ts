import type { Condition } from '../core/observed.ts';
import type { CloudId, Kind } from '../core/resource.ts';
import type { Desk } from './desk.ts';
import { wait } from './wait.ts';

/** `gone`: the cloud no longer counts it. */
type State = 'ready' | 'gone';

/** Machines that take longer than this are left to the next pass. */
const patienceMs = 600_000;
const firstMs = 1000;
const thenMs = 5000;

/** Reads the ids together until all are in the state; answers whether they came to be. Rejects when the pass must stop. */
export async function awaitState(kind: Kind, ids: readonly CloudId[], state: State, desk: Desk): Promise<boolean> {
  const { clock } = desk.ports;
  const until = clock.now() + patienceMs;
  let waiting = ids;
  for (let pauseMs = firstMs; waiting.length > 0; pauseMs = thenMs) {
    if (clock.now() >= until) return false;
    const awaited = { why: state, detail: `${waiting.length} ${kind}`, forMs: pauseMs };
    await wait(awaited, { clock, waits: desk.halt.waits, tell: desk.tell });
    waiting = await stillWaiting(kind, waiting, state, desk);
  }
  return true;
}

async function stillWaiting(
  kind: Kind,
  ids: readonly CloudId[],
  state: State,
  { at, line }: Desk,
): Promise<readonly CloudId[]> {
  const results = await at.site.session.actuators[kind].read(ids, line.reading());
  return ids.filter((_, i) => {
    const result = results[i];
    // why: an answer that failed says nothing; it is asked again
    return !result?.ok || !isIn(state, result.value?.condition);
  });
}

/** A machine that was to become ready and is gone will not: that is the end of waiting, and the next look shows it. */
function isIn(state: State, condition: Condition | undefined): boolean {
  if (condition === undefined || condition.state === 'gone') return true;
  return condition.state === state;
}
