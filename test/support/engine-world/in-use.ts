import assert from 'node:assert/strict';
import { network } from './documents.ts';
import type { EngineWorld } from './engine-world.ts';

/** Something that nobody lists stands in the subnet `core.app`. */
export interface Unlisted {
  put(): Promise<void>;
  /** The cloud's own code, and the name of what stands there. */
  readonly code: RegExp;
  readonly name: RegExp;
  /** The address of the subnet behind its scope. */
  readonly subnet: string;
  /** The read that tells what stands there. */
  readonly reading: string;
}

/** A subnet that cannot be deleted stays, and its failure quotes the cloud and names what stands there: at one more call a pass. */
export async function namesUnlisted(world: EngineWorld, { put, code, name, subnet, reading }: Unlisted): Promise<void> {
  const both = { subnets: ['app', 'db'].map((one, at) => ({ name: one, cidr: `10.20.${at + 1}.0/24` })) };
  for (const _ of ['made', 'up']) await world.apply([network(both)]);
  await put();
  const { passes } = await world.apply([network({ subnets: both.subnets.slice(1) })], { prune: [subnet] });
  const failures = passes.flatMap(({ failed }) => failed).map(({ failure }) => `${failure.code}: ${failure.message}`);
  assert.ok(failures.length > 0);
  for (const failure of failures) {
    assert.match(failure, code);
    assert.match(failure, name);
  }
  const asked = world.sandbox.control.log.entries().filter(({ action }) => action === reading).length;
  assert.ok(asked <= 1, `${asked} times ${reading}`);
}
