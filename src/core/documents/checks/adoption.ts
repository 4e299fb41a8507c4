import type { TargetDoc } from '../document.ts';
import { idsOf } from '../fields.ts';
import { error, type Problem } from '../problem.ts';
import { type SpecSet, scopeOf, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

/**
 * An object is taken over by one resource: of two that adopt it, the mark of the last would win. Said at every place.
 * Rules are owned through their group and bear no mark, and two documents may share one.
 */
export function* adoptedOnce(set: SpecSet): Iterable<Problem> {
  const adoptions = [...claimsIn(set)].flatMap((claim) => adoptionsOf(set, claim));
  for (const same of Map.groupBy(adoptions, ({ object }) => object).values()) {
    for (const adoption of same) {
      const other = same.find((one) => one.resource !== adoption.resource);
      if (!other) continue;
      const message = `\`${adoption.id}\` is also adopted by ${other.what}, at ${place(other.document.at(other.path))}`;
      yield error('adopted-twice', adoption.document.at(adoption.path), message, { expected: 'one of the two' });
    }
  }
}

/** The adopting resource, and the position of its `adopt`. */
interface Claim {
  readonly document: Located<unknown>;
  readonly path: Path;
  /** Objects of two kinds are never one, whatever their ids. */
  readonly kind: 'network' | 'subnet' | 'group' | 'instance';
  readonly name: string;
  readonly adopt: Readonly<Record<string, string | readonly string[]>> | undefined;
}

function* claimsIn(set: SpecSet): Iterable<Claim> {
  const path = ['metadata', 'adopt'];
  for (const document of set.networks.values()) {
    const { metadata, spec } = document.value;
    yield { document, path, kind: 'network', name: metadata.name, adopt: metadata.adopt };
    for (const [kind, list] of [
      ['subnet', 'subnets'],
      ['group', 'groups'],
    ] as const)
      for (const [index, { name, adopt }] of spec[list].entries()) {
        const own = ['spec', list, index, 'adopt'];
        yield { document, path: own, kind, name: `${metadata.name}.${name}`, adopt };
      }
  }
  for (const document of set.instances) {
    const { name, adopt } = document.value.metadata;
    yield { document, path, kind: 'instance', name, adopt };
  }
}

interface Adoption extends Pick<Claim, 'document' | 'path'> {
  readonly id: string;
  readonly object: string;
  readonly resource: string;
  readonly what: string;
}

/** Targets that the specs lack are another check's finding. */
function adoptionsOf(set: SpecSet, { document, path, kind, name, adopt }: Claim): readonly Adoption[] {
  return Object.entries(adopt ?? {}).flatMap(([by, given]) =>
    idsOf(given).flatMap((id, ordinal) =>
      targetsOf(set, [by]).map(({ value: target }) => ({
        document,
        path: [...path, by, ...(typeof given === 'string' ? [] : [ordinal])],
        id,
        object: [scopeOf(target), kind, spelled(id, target)].join(' '),
        resource: [place(document.at(path)), name, ordinal, standsAt(kind, target)].join(' '),
        what: `the ${kind} ${name}${ordinal === 0 ? '' : `-${ordinal}`}`,
      })),
    ),
  );
}

/** Azure takes any case for one: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules */
const spelled = (id: string, { spec }: TargetDoc): string => (spec.provider === 'azure' ? id.toLowerCase() : id);

/** A GCP network is one in all of its project, whatever the targets that name it; a machine is one in its zone. */
const standsAt = (kind: Claim['kind'], { metadata, spec }: TargetDoc): string =>
  spec.provider === 'gcp' && kind !== 'instance' ? '' : metadata.name;

/**
 * Objects that no document can take over:
 *
 *   kind  | cloud        | reason
 *   ------+--------------+--------------------------------------------------------------------------
 *   rule  | AWS, Azure   | it belongs to whom its group or its network belongs
 *   rule  | Google Cloud | it bears the mark in its description, and its name says what the rule says
 *   group | Google Cloud | it is a tag, and no object
 */
export function* adoptable(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    if (rule.value.metadata.adopt === undefined) continue;
    const expected =
      'the rule without adopt: Setpoint creates its own, and does not change an unmarked firewall of Google Cloud';
    yield error('not-adoptable', rule.at(['metadata', 'adopt']), 'a firewall rule cannot be adopted', { expected });
  }
  for (const network of set.networks.values())
    for (const [index, { name, adopt }] of network.value.spec.groups.entries())
      for (const { value: target } of targetsOf(set, Object.keys(adopt ?? {}))) {
        if (target.spec.provider !== 'gcp') continue;
        const at = network.at(['spec', 'groups', index, 'adopt', target.metadata.name]);
        const message = `the group \`${name}\` cannot be adopted on Google Cloud: there it is a network tag, not an object`;
        yield error('not-adoptable', at, message, { expected: 'only the other targets' });
      }
}
