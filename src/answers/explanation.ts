import type { Desired } from '../core/desired.ts';
import { type Explanation, type Ownership, ownership } from '../core/inventory/ownership.ts';
import type { Address } from '../core/resource.ts';
import { modeNow } from './mode-reason.ts';
import { originsOf } from './origins.ts';
import type { Survey } from './survey.ts';

/** How a person's way of naming an address is understood; throws where it cannot be. */
export type FindAddress = (given: string, known: ReadonlySet<Address>) => Address;

/** `given`: an address, or an id of the cloud. */
export function explanationOf(given: string, { estate, looked, plans }: Survey, findAddress: FindAddress): Explanation {
  const desired = looked.flatMap(({ input }) => input.wanted.desired);
  const owned = looked.flatMap(({ input }, i) => {
    const plan = plans[i];
    return plan === undefined ? [] : ownership(input, plan);
  });
  const byId = owned.find(({ observed }) => observed.id === given);
  const address = byId ? (byId.address ?? given) : findAddress(given, addressesOf(desired, owned));
  const isMeant = (one: { readonly address?: Address; readonly documents?: Desired['documents'] }): boolean =>
    one.address === address || (one.documents?.some((document) => document.address === address) ?? false);
  const wanted = desired.filter(isMeant);
  const atoms = new Set([address, ...wanted.map((one) => one.address)]);
  const there = owned.filter((one) => one === byId || (one.address !== undefined && atoms.has(one.address)));
  const ids = new Set(there.map(({ observed }) => observed.id));
  return {
    address,
    wanted,
    origins: originsOf(wanted, estate),
    mode: wanted[0] && modeNow(wanted[0], estate, looked[0]?.input.choices?.modesBefore),
    there,
    actions: plans.flatMap(({ actions }) => actions.filter(isMeant)),
    findings: plans.flatMap(({ findings }) =>
      findings.filter(
        (found) =>
          ('address' in found && atoms.has(found.address)) ||
          ('id' in found && (ids.has(found.id) || (found.of !== undefined && atoms.has(found.of)))),
      ),
    ),
  };
}

const addressesOf = (desired: readonly Desired[], owned: readonly Ownership[]): ReadonlySet<Address> =>
  new Set([
    ...desired.flatMap((one) => [one.address, ...one.documents.map(({ address }) => address)]),
    ...owned.flatMap(({ address }) => address ?? []),
  ]);
