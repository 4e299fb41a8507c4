import type { Action } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import type { Failure } from '../core/failure.ts';
import { backoffMs, backoffPolicy } from '../core/plan/backoff.ts';
import type { Policy } from '../core/plan/plan-input.ts';
import type { Address } from '../core/resource.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Backoffs, Refused } from '../ports/backoffs.ts';
import type { Where } from '../ports/queue.ts';
import type { Reconciled } from './reconcile.ts';

/** Addresses that wait here after refusals of the cloud, under this generation. */
export async function backedOff(where: Where, generation: number, backoffs: Backoffs): Promise<Policy> {
  const waiting = (await backoffs.list(where)).filter((one) => one.waits && one.generation === generation);
  const byAddress = new Map(waiting.map((one) => [one.address, one]));
  return backoffPolicy((action) => {
    const held = byAddress.get(action.address);
    return held !== undefined && held.digest === digestOf(action) ? held : undefined;
  });
}

/** As before means that nothing of it, nor of what was seen of it, has changed. */
const digestOf = (action: Action): string => actionDigest(action, sha256);

/**
 * Keeps what the cloud refused, and lets go what went well. A conflict was tried several times when its pass gave it up, so it waits
 * at once; what a person must mend waits from its second refusal on.
 */
export async function keepRefusals(
  where: Where,
  generation: number,
  { converged: { passes }, planned }: Pick<Reconciled, 'converged' | 'planned'>,
  backoffs: Backoffs,
): Promise<void> {
  const { refused, done } = outcomesOf(passes);
  if (refused.size + done.size === 0) return;
  const kept = new Map((await backoffs.list(where)).map((one) => [one.address, one]));
  for (const address of done) if (kept.has(address)) await backoffs.clear(where, address);
  for (const action of planned) {
    const failure = refused.get(keyOf(action));
    if (failure === undefined) continue;
    const again = { address: action.address, digest: digestOf(action), generation };
    const failures = timesBefore(again, kept.get(action.address)) + 1;
    const waits = failure.kind === 'conflict' ? failures : failures - 1;
    const said = `"${failure.message.replace(/\.$/, '')}" (${failure.code}).`;
    await backoffs.put(where, { ...again, failures, said }, waits === 0 ? 0 : backoffMs(waits));
  }
}

/** How each action ended: what was refused last, and the addresses where something went well. */
function outcomesOf(passes: Reconciled['converged']['passes']) {
  const refused = new Map<string, Failure>();
  const done = new Set<Address>();
  for (const { failed, settled } of passes) {
    for (const one of failed) if (repeats.has(one.failure.kind)) refused.set(keyOf(one), one.failure);
    for (const one of settled) {
      refused.delete(keyOf(one));
      done.add(one.address);
    }
  }
  return { refused, done };
}

function timesBefore(
  { digest, generation }: Pick<Refused, 'digest' | 'generation'>,
  kept: Refused | undefined,
): number {
  return kept?.digest === digest && kept.generation === generation ? kept.failures : 0;
}

const repeats: ReadonlySet<Failure['kind']> = new Set(['conflict', 'terminal']);
const keyOf = ({ verb, address }: Pick<Action, 'verb' | 'address'>): string => `${verb} ${address}`;
