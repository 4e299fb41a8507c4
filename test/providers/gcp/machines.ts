import type { FieldChange } from '../../../src/core/diff.ts';
import type { Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId } from '../../../src/core/resource.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { byHand } from '../../support/gcp-session.ts';
import { createOne, type Estate, instanceOf, pathOf, revise, seen, updateOne } from './estate.ts';

/** A machine that runs, with the creation that made it. */
export interface Machine {
  readonly creation: Creation<'instance'>;
  readonly observed: Observed<'instance'>;
}

let names = 0;

export async function machineIn(estate: Estate, over: Partial<Attributes['instance']> = {}): Promise<Machine> {
  const creation = instanceOf(estate, `web-${++names}`, over);
  const { id } = await createOne(estate, creation);
  return { creation, observed: await seen(estate, 'instance', id) };
}

/** The fields of the API's instance that tests read. */
export interface Wire {
  readonly status: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
  readonly tags?: { readonly items?: readonly string[]; readonly fingerprint?: string };
  readonly metadata?: { readonly items?: readonly { readonly key: string; readonly value: string }[] };
  readonly serviceAccounts?: readonly { readonly email: string; readonly scopes: readonly string[] }[];
}

export const wireOf = ({ stage }: Estate, id: CloudId): Promise<Wire> => byHand(stage, 'GET', pathOf(id));

export const diskOf = ({ stage }: Estate, id: CloudId): Promise<Wire & { readonly sizeGb: string }> =>
  byHand(stage, 'GET', pathOf(id).replace('/instances/', '/disks/'));

/** A colleague writes the labels, whole. */
export async function labelByHand(
  estate: Estate,
  id: CloudId,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { labelFingerprint } = await wireOf(estate, id);
  await byHand(estate.stage, 'POST', `${pathOf(id)}/setLabels`, { labelFingerprint, labels });
}

export type Change = (was: Attributes['instance']) => Attributes['instance'];

export const withMachine =
  (over: Partial<Attributes['instance']['machine']>): Change =>
  (was) => ({ ...was, machine: { ...was.machine, ...over } });

/** Changes the desired attributes by `to`; `fields` are the changed ones. */
export function change(
  estate: Estate,
  { creation, observed }: Machine,
  { to, fields }: { readonly to: Change; readonly fields: readonly (string | FieldChange)[] },
  call = recordedCall(),
): Promise<Result<void>> {
  const changes = fields.map((field) => (typeof field === 'string' ? { field, to: 'x' } : field));
  return updateOne(estate, revise(creation, observed, { attributes: to(creation.desired.attributes), changes }), call);
}
