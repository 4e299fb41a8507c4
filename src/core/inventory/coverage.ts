import { kindNames } from '../kinds/kinds.ts';
import type { Gap, Origin } from '../observed.ts';
import type { Address, Attributes, CloudId, Kind } from '../resource.ts';
import { compareText } from '../text.ts';
import type { Claim, Status } from './row.ts';

/** An existing object, as far as it is counted. Refs in its attributes are addresses or ids. */
export interface CountedObject {
  readonly kind: Kind;
  readonly id: CloudId;
  readonly name: string;
  readonly address?: Address;
  readonly claim: Claim;
  readonly status: Status;
  readonly origin?: Origin;
  /** An entry of a target leaves it out of the findings. */
  readonly ignored?: object;
  readonly attributes: Attributes[Kind];
}

interface CountedScope<O extends CountedObject = CountedObject> {
  readonly scope: string;
  readonly gaps: readonly Pick<Gap, 'kind'>[];
  readonly objects: readonly O[];
}

/**
 * True where no document of this estate stands for the object, and it is not ours from before: what nobody claims, and what bears a
 * mark of another estate, of another store, or a copied one.
 *
 *   object                          | managed | unmanaged
 *   --------------------------------+---------+----------
 *   ours, and a document asks for it | yes     | no
 *   a document adopts it            | yes     | no
 *   orphan                          | no      | no
 *   ignored by an entry of a target | no      | no
 *   any other                       | no      | yes
 */
export const isUnmanaged = ({ status, ignored }: Pick<CountedObject, 'status' | 'ignored'>): boolean =>
  status === 'Unmanaged' && ignored === undefined;

export const isIgnored = ({ ignored }: Pick<CountedObject, 'ignored'>): boolean => ignored !== undefined;

const isManaged = (one: CountedObject): boolean => one.claim !== 'orphan' && one.status !== 'Unmanaged';

/** `complete`: everything was listed. Without it `objects` is a lower bound, and no share of it can be told. */
export interface Covered {
  readonly managed: number;
  readonly objects: number;
  readonly complete: boolean;
}

export interface Coverage extends Covered {
  /** Kinds with objects or with gaps, in their order. */
  readonly kinds: readonly (Covered & { readonly kind: Kind })[];
  /** Ignored objects: they are no part of the other numbers. */
  readonly ignored: number;
}

/** The objects that documents manage, of all that exist. `unobserved`: scopes of which there is no observation. */
export function coverageOf(scopes: readonly CountedScope[], unobserved: readonly string[]): Coverage {
  const all = scopes.flatMap((one) => one.objects);
  const objects = all.filter((one) => !isIgnored(one));
  const gaps = new Set(scopes.flatMap((one) => one.gaps.map(({ kind }) => kind)));
  const covered = (counted: readonly CountedObject[], complete: boolean): Covered => ({
    managed: counted.filter(isManaged).length,
    objects: counted.length,
    complete: complete && unobserved.length === 0,
  });
  const kinds = kindNames.flatMap((kind) => {
    const own = objects.filter((one) => one.kind === kind);
    return own.length === 0 && !gaps.has(kind) ? [] : [{ kind, ...covered(own, !gaps.has(kind)) }];
  });
  return { ...covered(objects, gaps.size === 0), kinds, ignored: all.length - objects.length };
}

export const groupings = ['origin', 'kind', 'network', 'scope'] as const;

export type Grouping = (typeof groupings)[number];

/** Objects with the same answer, the largest group first. */
export interface ObjectGroup {
  readonly group: string;
  readonly objects: number;
  readonly kinds: Readonly<Partial<Record<Kind, number>>>;
}

/**
 * The chosen objects of each scope by one of their properties:
 *
 *   grouping | group
 *   ---------+-----------------------------------------------------------------------------------------------
 *   origin   | its maker, such as EKS or Terraform; without one the reason of its origin, such as provider-default; of an
 *            | object with a mark its claim; else unknown. A rule without an origin has that of its group
 *   kind     | its kind
 *   network  | name and id of its network, else `no network`
 *   scope    | its scope
 */
export function groupsOf<O extends CountedObject>(
  scopes: readonly CountedScope<O>[],
  by: Grouping,
  isChosen: (object: O) => boolean,
): readonly ObjectGroup[] {
  const groups = new Map<string, CountedObject[]>();
  for (const { scope, objects } of scopes) {
    const known = new Map(
      objects.flatMap((one) => [one.id, ...(one.address === undefined ? [] : [one.address])].map((ref) => [ref, one])),
    );
    for (const one of objects.filter(isChosen)) {
      const group = groupOf(one, by, { scope, known });
      const alike = groups.get(group);
      if (alike === undefined) groups.set(group, [one]);
      else alike.push(one);
    }
  }
  return [...groups]
    .map(([group, all]) => ({ group, objects: all.length, kinds: countsOf(all) }))
    .toSorted((a, b) => b.objects - a.objects || compareText(a.group, b.group));
}

const countsOf = (objects: readonly CountedObject[]): ObjectGroup['kinds'] =>
  Object.fromEntries(
    kindNames.flatMap((kind) => {
      const n = objects.filter((one) => one.kind === kind).length;
      return n === 0 ? [] : [[kind, n]];
    }),
  );

interface Around {
  readonly scope: string;
  /** The objects of the scope, by id and by address. */
  readonly known: ReadonlyMap<string, CountedObject>;
}

function groupOf(one: CountedObject, by: Grouping, { scope, known }: Around): string {
  switch (by) {
    case 'origin':
      return originOf(one, known);
    case 'kind':
      return one.kind;
    case 'network': {
      const ref = networkOf(one, known);
      if (ref === undefined) return 'no network';
      const { name, id } = known.get(ref) ?? { name: '', id: ref };
      return name === '' || name === id ? id : `${name} (${id})`;
    }
    case 'scope':
      return scope;
  }
}

function originOf({ claim, origin, kind, attributes }: CountedObject, known: Around['known']): string {
  if (claim !== 'unmanaged') return claim;
  if (origin !== undefined) return origin.maker ?? origin.why;
  if (kind !== 'firewall-rule') return 'unknown';
  const { group = '' } = attributes as Attributes['firewall-rule']; // why: `kind` was just checked
  const inherited = known.get(group)?.origin;
  return inherited === undefined ? 'unknown' : (inherited.maker ?? inherited.why);
}

function networkOf({ kind, id, attributes }: CountedObject, known: Around['known']): string | undefined {
  if (kind === 'network') return id;
  const network = 'network' in attributes ? attributes.network : undefined;
  if (network !== undefined) return network === '' ? undefined : network;
  const subnet = 'placement' in attributes ? known.get(attributes.placement.subnet) : undefined;
  return subnet === undefined ? undefined : networkOf(subnet, known);
}
