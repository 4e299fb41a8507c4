import type { Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { canonicalId, partsOfId } from '../ids.ts';
import type { Scope } from '../scope.ts';
import { readAround } from './around.ts';
import { findParts } from './find-parts.ts';
import { halfMade, namedParts } from './half-made.ts';
import { findMachine } from './machine.ts';

/** Parts without their machine, by the id that the machine would have. Where it stands by now they are no such thing any more. */
export async function readHalfMade(
  id: CloudId,
  scope: Scope,
  call: Call,
): Promise<Result<Observed<'instance'> | undefined>> {
  const machine = await findMachine(id, scope, call);
  if (!machine.ok || machine.value) return machine.ok ? { ok: true, value: undefined } : machine;
  const found = await findParts({ place: partsOfId(id), machine: partsOfId(id).name }, scope, call);
  if (!found.ok) return found;
  const { nic, address, disk } = found.value;
  const around = await readAround({ nics: nic ? [nic] : [] }, scope, call);
  if (!around.ok) return around;
  const parts = namedParts({
    nics: around.value.nics,
    addresses: new Map(address ? [[canonicalId(address.id ?? ''), address]] : []),
    disks: new Map(disk ? [[canonicalId(disk.id ?? ''), disk]] : []),
  });
  return { ok: true, value: halfMade(parts, around.value).find((half) => half.id === canonicalId(id)) };
}
