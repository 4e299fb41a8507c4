import type { FieldChange } from '../../src/core/diff.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, sendGrouped } from './batch.ts';
import type { Client } from './client.ts';
import { atOnce } from './rate-limits.ts';

/** Tags to write on an object, and keys to take from it. */
export interface Retag {
  readonly id: string;
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

/** Labels and mark as one write. A label without a new value is taken away. */
export function retagFor(id: string, changes: readonly FieldChange[], mark: Retag['set'] = {}): Retag {
  const labels = changes.filter(({ field }) => field.startsWith(prefix));
  const set = labels.flatMap(({ field, to }) => (to === undefined ? [] : [[field.slice(prefix.length), String(to)]]));
  const unset = labels.filter(({ to }) => to === undefined).map(({ field }) => field.slice(prefix.length));
  return { id, set: { ...Object.fromEntries(set), ...mark }, unset };
}

const prefix = 'labels.';

/** Writes tags, all objects with equal ones in one call. One result for each, in order; nothing is sent where nothing changes. */
export async function retag(client: Client, call: Call, retags: readonly Retag[]): Promise<readonly Result<void>[]> {
  const ids = (items: readonly Retag[]): readonly string[] => items.map(({ id }) => id);
  const nothing = async (items: readonly Retag[]): Promise<Result<readonly undefined[]>> => voids(items);
  const set = await sendGrouped(retags, {
    key: ({ set }) => JSON.stringify(Object.entries(set).sort()),
    size: atOnce.tagged,
    send: async (items) => {
      const tags = items[0]?.set ?? {};
      if (Object.keys(tags).length === 0) return nothing(items);
      const answer = await client.send(call, 'TagObjects', { ids: ids(items), tags });
      return answer.ok ? voids(items) : answer;
    },
  });
  const unset = await sendGrouped(retags, {
    key: (item) => JSON.stringify(item.unset.toSorted()),
    size: atOnce.tagged,
    send: async (items) => {
      const keys = items[0]?.unset ?? [];
      if (keys.length === 0) return nothing(items);
      const answer = await client.send(call, 'UntagObjects', { ids: ids(items), keys });
      return answer.ok ? voids(items) : answer;
    },
  });
  return retags.map((_, index) => [set[index], unset[index]].find((result) => result?.ok === false) ?? done);
}

const voids = (items: readonly unknown[]): Result<readonly undefined[]> => ({
  ok: true,
  value: items.map(() => undefined),
});
