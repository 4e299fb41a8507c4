import type { PauseSubject } from '../../src/core/pause.ts';
import type { ScopeKey } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { MemoryDatabase } from '../support/memory-store.ts';
import type { Draw } from './draw.ts';
import type { PauseTrace } from './trace.ts';

interface Place {
  readonly clock: Clock;
  readonly database: MemoryDatabase;
  readonly scope: ScopeKey;
}

interface Scene extends Place {
  /** In this life a person must approve every action. */
  readonly asks: boolean;
  /** The addresses that a pause may name. */
  readonly addresses: readonly string[];
}

/** The subject of their pause, and the way to resume it. */
interface Word {
  readonly id: number;
  readonly from: number;
  /** Absent: everything. */
  readonly address?: string;
  end(): Promise<void>;
}

/** People who pause all or one address, or withdraw their approval, and let it go on. What they held, once it is over. */
export async function holdStill(scene: Scene, draw: Draw): Promise<readonly PauseTrace[]> {
  const held: PauseTrace[] = [];
  if (!draw.chance(scene.asks ? 0.8 : 0.3)) return held;
  for (let words = draw.int(3); words > 0; words--) {
    await scene.clock.sleep(draw.int(40_000));
    const { end, ...word } = await (scene.asks && draw.chance(0.6) ? withdraw(scene) : pause(scene, draw));
    const forMs = 1 + draw.int(60_000);
    await scene.clock.sleep(forMs);
    await end();
    held.push({ ...word, until: word.from + forMs });
  }
  return held;
}

async function pause({ clock, database, addresses }: Scene, draw: Draw): Promise<Word> {
  const { pauses } = database.connect().fleet;
  const name = draw.chance(0.4) ? draw.pick(addresses) : undefined;
  const of: PauseSubject = name === undefined ? { by: 'estate' } : { by: 'address', name };
  const said = { what: 'all', of, person: 'ada', reason: 'an incident' } as const;
  const { id, at } = await pauses.begin('acme', { ...said, until: clock.now() + 86_400_000 });
  const end = async (): Promise<void> => void (await pauses.end('acme', said, { person: 'ada', reason: 'it is over' }));
  return { id, from: at, end, ...(name === undefined ? {} : { address: name }) };
}

/** All approvals, so that nothing may be done. */
async function withdraw(place: Place): Promise<Word> {
  const { approvals } = place.database.connect().fleet;
  const given = await approvals.given('acme');
  for (const { seq } of given) await approvals.withdraw('acme', seq, { person: 'ada', reason: 'an incident' });
  const generation = given.at(-1)?.generation ?? 1;
  const end = (): Promise<void> => approveAll(place, generation);
  return { id: given.at(-1)?.seq ?? 0, from: place.clock.now(), end };
}

const yearMs = 366 * 86_400_000;

/** An approval that names no action: in a simulation it lets all pass. */
export async function approveAll({ clock, database, scope }: Place, generation: number): Promise<void> {
  const { approvals } = database.connect().fleet;
  const said = { digest: '', actions: [], destroys: 0, by: { person: 'ada', reason: 'seen' } };
  await approvals.give({ estate: 'acme', scope, generation, ...said, until: clock.now() + yearMs });
}
