import { claimsToBeOurs, type HeardTouch, touchedLast } from '../../../src/core/last-modified.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Where } from '../../../src/ports/queue.ts';
import type { Touches } from '../../../src/ports/store.ts';
import { type EstateMemory, estateOf, type Memory } from './memory.ts';

const day = 86_400_000;

export function memoryTouches(memory: Memory, clock: Clock): Touches {
  const { deliveries, touches: all } = memory.sources;
  return {
    first: async (estate, { hook, id }) => {
      const key = JSON.stringify([estate, hook, id]);
      for (const [old, at] of deliveries) if (at < clock.now() - 7 * day) deliveries.delete(old);
      if (deliveries.has(key)) return false;
      deliveries.set(key, clock.now());
      return true;
    },
    keep: async (name, touches) => {
      const ours = ownCalls(estateOf(memory, name));
      const kept = touches.filter(({ requestId }) => requestId === undefined || !ours.has(requestId));
      const known = all.get(name) ?? new Map();
      for (const [old, { by }] of known) if (by.at < clock.now() - 90 * day) known.delete(old);
      for (const one of touchedLast(kept.filter(({ actor }) => !claimsToBeOurs(actor)))) {
        const key = `${one.scope} ${one.object}`;
        const before = known.get(key)?.by;
        const isLater = before === undefined || later(one.by, before);
        if (isLater) known.set(key, { ...one, heardAt: clock.now() });
      }
      all.set(name, known);
      return kept;
    },
    newest: async (where) => newestTouches(memory, where),
  };
}

const later = (one: { at: number; event: string }, other: { at: number; event: string }): boolean =>
  one.at > other.at || (one.at === other.at && one.event > other.event);

function ownCalls({ chain }: EstateMemory): ReadonlySet<string> {
  const ids = chain.entries.flatMap(({ type, body }) =>
    type === 'settlement' && Array.isArray(body['calls'])
      ? body['calls'].map(({ requestId }) => String(requestId))
      : [],
  );
  return new Set(ids);
}

export function newestTouches(memory: Memory, { estate, scope }: Where): ReadonlyMap<CloudId, HeardTouch> {
  const ours = ownCalls(estateOf(memory, estate));
  const of = [...(memory.sources.touches.get(estate)?.values() ?? [])].filter(
    (one) => one.scope === scope && !ours.has(one.requestId ?? ''),
  );
  return new Map(
    of.map(({ object, by, heardAt, requestId }) => [
      object,
      { by: requestId === undefined ? by : { ...by, requestId }, heardAt },
    ]),
  );
}
