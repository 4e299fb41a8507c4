import { type Cost, machineCost, type PriceTable, pricedPlace, sumOf } from '../cost/cost.ts';
import { membershipsOf } from '../kinds/instance.ts';
import type { Gap, Origin } from '../observed.ts';
import {
  type Address,
  type Attributes,
  type CloudId,
  type InstanceAttributes,
  type Kind,
  prefixIn,
  type ScopeKey,
} from '../resource.ts';

/** An object, as far as it may be idle. Refs in its attributes are addresses or ids. */
interface Standing {
  readonly kind: Kind;
  readonly id: CloudId;
  readonly address?: Address;
  readonly origin?: Origin;
  readonly attributes: Attributes[Kind];
}

interface StandingScope<O extends Standing> {
  readonly scope: ScopeKey;
  readonly gaps: readonly Pick<Gap, 'kind'>[];
  readonly objects: readonly O[];
}

/** `why`: for people. `cost`: of a month; absent where there are no prices, or where it has none of its own. */
export interface Idle {
  readonly why: string;
  readonly cost?: Cost;
}

/**
 * The objects of a scope that nobody uses.
 *
 *   object                                        | idle
 *   ----------------------------------------------+-------------------------------------------
 *   a stopped machine                             | yes, with what its disk and address cost
 *   a group that no machine is in                 | yes, where all machines were listed
 *   the same, made by the cloud with its network  | no: nobody can delete it
 *
 * Disks and addresses without a machine are not observed. What else may use a group (a load balancer, a database) is not either.
 */
export function idleIn<O extends Standing>(
  { scope, gaps, objects }: StandingScope<O>,
  prices: PriceTable | undefined,
): ReadonlyMap<O, Idle> {
  const used = new Set(objects.flatMap((one) => (one.kind === 'instance' ? groupsOf(one) : [])));
  const knowsMachines = !gaps.some(({ kind }) => kind === 'instance');
  const isEmpty = ({ id, address = '', origin }: O): boolean =>
    knowsMachines && origin?.why !== 'provider-default' && !used.has(id) && !used.has(address);
  return new Map(
    objects.flatMap((one): readonly (readonly [O, Idle])[] => {
      if (one.kind === 'group') return isEmpty(one) ? [[one, { why: 'no machine is in it' }]] : [];
      if (one.kind !== 'instance' || machineOf(one).machine.power !== 'stopped') return [];
      const cost = prices && costOf(one, scope, prices);
      return [[one, { why: 'stopped', ...(cost === undefined ? {} : { cost }) }]];
    }),
  );
}

// why: only called for machines
const machineOf = ({ attributes }: Standing): InstanceAttributes => attributes as InstanceAttributes;

const groupsOf = (one: Standing): readonly string[] => membershipsOf(machineOf(one)) ?? [];

function costOf(one: Standing, scope: ScopeKey, prices: PriceTable): Cost | undefined {
  const { placement } = machineOf(one);
  const zone = one.address === undefined ? placement.zone : prefixIn(one.address, one.kind).split('/')[2];
  const [, , region = zone ?? ''] = scope.split('/');
  const place = pricedPlace(scope, region);
  return place && machineCost(machineOf(one), place, prices);
}

/** The cost of all of them a month. */
export const idleCost = (idle: Iterable<Idle>): Cost => sumOf([...idle].flatMap(({ cost }) => cost ?? []));
