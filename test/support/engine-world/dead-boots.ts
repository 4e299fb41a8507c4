import assert from 'node:assert/strict';
import type { Sandbox } from '../../../sandbox/index.ts';
import { network } from './documents.ts';
import type { EngineWorld } from './engine-world.ts';

/** A cloud of which every new machine ends, or fails, soon after its launch. */
export interface Doomed {
  doom(sandbox: Sandbox): void;
  /** How the cloud says so. */
  readonly ending: RegExp;
  /** The write that launches a machine. */
  readonly launch: string;
}

/** A dead boot is no success: it fails with the cloud's words, and its document is launched three times at most. */
export async function failsBirths(
  world: EngineWorld,
  machine: object,
  { doom, ending, launch }: Doomed,
): Promise<void> {
  doom(world.sandbox);
  const documents = [network(), machine];
  let launches = 0;
  for (let pass = 0; pass < 6; pass++) {
    const { writes, passes } = await world.apply(documents);
    launches += writes.filter((write) => write.startsWith(`${launch} 2`)).length;
    if (pass === 0) assert.match(passes.flatMap(({ failed }) => failed)[0]?.failure.message ?? 'a success', ending);
    world.sandbox.control.clock.advance(120_000);
  }
  assert.ok(launches >= 1 && launches <= 3, `${launches} launches`);
  const { births = [] } = await world.knowledge();
  assert.match(births.find(({ failed }) => failed !== undefined)?.failed ?? 'none failed', ending);
}
