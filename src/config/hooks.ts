import { generationsOf } from '../fleet/generations.ts';
import type { Yard } from '../fleet/worker-context.ts';
import type { Hooked, Hooks } from '../http/hooks/hook.ts';
import { hooksOn } from '../http/hooks/hooks-on.ts';

/** What a worker hears of: webhooks and events. */
export function hooksOf(yard: Yard): Hooks {
  const { store, queue, outside, clock, telemetry } = yard;
  const { cloud, secrets, allowEndpoint } = outside;
  const { touches, sources, fleet } = store;
  const { log } = telemetry;
  return hooksOn({
    cloud,
    touches,
    requests: fleet.requests,
    queue,
    bells: sources.bells,
    secrets,
    allowEndpoint,
    inForce: hookedIn(yard),
    clock,
    log,
  });
}

/** Of every estate what its newest generation says; of one that cannot be opened here nothing, and the others go on. */
function hookedIn(yard: Yard): () => Promise<readonly Hooked[]> {
  const generations = generationsOf(yard);
  const { store, telemetry } = yard;
  const hooked = async (estate: string): Promise<readonly Hooked[]> => {
    const current = await store.generations.current(estate);
    if (current === undefined) return [];
    try {
      const { tree, compiled } = await generations.open(estate, current);
      const hooks = tree.estate?.value.spec.hooks ?? [];
      return [{ estate, hooks, scopes: compiled.scopes.map(({ scope }) => scope) }];
    } catch (error) {
      telemetry.log.warn('the hooks of an estate cannot be read', { estate, why: String(error) });
      return [];
    }
  };
  return async () => (await Promise.all((await store.estates.list()).map(hooked))).flat();
}
