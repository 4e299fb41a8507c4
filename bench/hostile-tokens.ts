import type { Figure } from './figure.ts';
import { claimsAt, goodHead } from './hostile-tokens/good.ts';
import { type Row, rows } from './hostile-tokens/rows.ts';
import { jwt } from './hostile-tokens/signed.ts';
import { type Guards, type HostileWorld, hostileWorld } from './hostile-tokens/world.ts';

/** A token that was not refused. `taken`: it was accepted. `broke`: another error ended the attempt. */
export interface Breach extends Pick<Row, 'of' | 'what'> {
  readonly how: 'taken' | 'broke';
}

/** Those of the rows that are not refused. Each is put to a front of its own, as the first that it is asked. */
export async function breachesIn(
  world: HostileWorld,
  some: readonly Row[],
  guards: Partial<Guards> = {},
): Promise<readonly Breach[]> {
  const breaches: Breach[] = [];
  for (const { of, what, header } of some) {
    const how = await world
      .front(guards)(header(world))
      .then(
        (caller) => (caller === undefined ? undefined : 'taken'),
        () => 'broke' as const,
      );
    if (how !== undefined) breaches.push({ of, what, how });
  }
  return breaches;
}

/** Credentials that are forged, stale or not for us. The value is how many are not refused; asked: none. */
export async function hostileTokens(guards: Partial<Guards> = {}): Promise<readonly Figure[]> {
  const world = await hostileWorld();
  for (const good of [world.tokens.good.text, jwt(goodHead, claimsAt(world.now))])
    if ((await world.front(guards)(`Bearer ${good}`)) === undefined) throw new Error('what is genuine is refused');
  const breaches = await breachesIn(world, rows, guards);
  for (const breach of breaches) console.error(JSON.stringify(breach));
  return [{ name: 'tokens', value: breaches.length, unit: `not refused, of ${rows.length} bad JWTs and tokens` }];
}

if (import.meta.main) {
  for (const figure of await hostileTokens()) console.log(JSON.stringify(figure));
}
