import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Kind } from '../../src/core/resource.ts';
import type { Actuator, Call } from '../../src/ports/provider.ts';
import type { Client } from './client.ts';
import { byId, type Item, type ListAction } from './listings.ts';

/** An actuator's `read`: one look for all the ids. `observing` gathers what else is needed to say what a record means. */
export const readBy =
  <K extends Kind, A extends ListAction>(
    client: Client,
    action: A,
    observing: (call: Call) => Promise<Result<(record: Item<A>) => Observed<K>>>,
  ): Actuator<K>['read'] =>
  async (ids, call) => {
    const found = await byId(client, call, { action, ids });
    if (!found.ok) return ids.map(() => found);
    const observe = await observing(call);
    if (!observe.ok) return ids.map(() => observe);
    return ids.map((id) => {
      const record = found.value.get(id);
      return { ok: true, value: record && observe.value(record) };
    });
  };
