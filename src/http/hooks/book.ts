import type { Clock } from '../../ports/clock-and-log.ts';
import type { Hook, Hooked } from './hook.ts';

/** A commit that changes hooks counts after so long. */
const goodForMs = 5_000;

/** Finds a hook by its address. What does not exist costs no query, however often it is asked for. */
export function hookBook(
  inForce: () => Promise<readonly Hooked[]>,
  clock: Clock,
): (estate: string, name: string) => Promise<Hook | undefined> {
  let known: ReadonlyMap<string, Hook> | undefined;
  let reading: Promise<void> | undefined;
  let readAt = 0;
  const read = async (): Promise<void> => {
    readAt = clock.now();
    try {
      known = byAddress(await inForce());
    } catch (error) {
      if (known === undefined) throw error;
    } finally {
      reading = undefined;
    }
  };
  return async (estate, name) => {
    if (known === undefined || clock.now() - readAt >= goodForMs) reading ??= read();
    await reading;
    return known?.get(addressOf(estate, name));
  };
}

const byAddress = (all: readonly Hooked[]): ReadonlyMap<string, Hook> =>
  new Map(all.flatMap(({ estate, hooks }) => hooks.map((hook) => [addressOf(estate, hook.name), hook] as const)));

/** No name has a slash. */
const addressOf = (estate: string, name: string): string => `${estate}/${name}`;
