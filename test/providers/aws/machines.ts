import assert from 'node:assert/strict';
import type { FieldChange } from '../../../src/core/diff.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import type { Creation, Revision } from '../../../src/ports/provider.ts';
import { createOne, type Estate, instanceOf, listOf, revise } from './estate.ts';

/** A machine that runs, with the creation that made it. */
export interface Machine {
  readonly creation: Creation<'instance'>;
  readonly observed: Observed<'instance'>;
}

export async function running(
  estate: Estate,
  name: string,
  over: Partial<Attributes['instance']> = {},
): Promise<Machine> {
  const creation = instanceOf(estate, [name, 0], over);
  const { id } = await createOne(estate.session, creation);
  settle(estate);
  const observed = await seen(estate, id);
  estate.stage.sandbox.control.log.clear();
  return { creation, observed };
}

/** As the listing tells it. */
export async function seen({ session }: Estate, id: string): Promise<Observed<'instance'>> {
  const found = (await listOf(session, 'instance')).find((instance) => instance.id === id);
  assert.ok(found, `${id} is not listed`);
  return found;
}

/** Lets machines end their transitions. */
export const settle = ({ stage }: Estate): void => stage.sandbox.control.clock.advance(60_000);

export type Change = (attributes: Attributes['instance']) => Attributes['instance'];

export const revision = (
  { creation, observed }: Machine,
  change: Change,
  changes: readonly FieldChange[],
): Revision<'instance'> => revise(creation, observed, { attributes: change(creation.desired.attributes), changes });
