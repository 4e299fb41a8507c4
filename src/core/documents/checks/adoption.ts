import { serviceAccount } from '../../kinds/rules.ts';
import type { TargetDoc } from '../document.ts';
import { idsOf } from '../fields.ts';
import { error, type Problem } from '../problem.ts';
import { type SpecSet, scopeOf, targetsIn, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

/**
 * An object is taken over by one resource: of two that adopt it, the mark of the last would win. Said at every place.
 * A network tag of Google Cloud is a name, and several networks may use it.
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
  readonly kind: 'network' | 'subnet' | 'group' | 'firewall-rule' | 'instance';
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
  for (const document of set.groups.values()) {
    const { metadata, spec } = document.value;
    yield { document, path, kind: 'group', name: `${spec.network}.${metadata.name}`, adopt: metadata.adopt };
  }
  for (const document of set.rules) {
    const { name, adopt } = document.value.metadata;
    yield { document, path, kind: 'firewall-rule', name, adopt };
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
      targetsOf(set, [by])
        .filter(({ value: { spec } }) => !isTag(kind, spec.provider) && !isInGroup(kind, spec.provider))
        .map(({ value: target }) => ({
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

type Provider = TargetDoc['spec']['provider'];

const isTag = (kind: Claim['kind'], provider: Provider): boolean => kind === 'group' && provider === 'gcp';

/** Such rules are adopted with their group alone. */
const isInGroup = (kind: Claim['kind'], provider: Provider): boolean =>
  kind === 'firewall-rule' && (provider === 'aws' || provider === 'memory');

/** Azure takes any case for one: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules */
const spelled = (id: string, { spec }: TargetDoc): string => (spec.provider === 'azure' ? id.toLowerCase() : id);

/** A GCP network is one in all of its project, whatever the targets that name it; a machine is one in its zone. */
const standsAt = (kind: Claim['kind'], { metadata, spec }: TargetDoc): string =>
  spec.provider === 'gcp' && kind !== 'instance' ? '' : metadata.name;

/**
 * Objects that no document can take over, and ids that name none:
 *
 *   kind  | cloud          | reason
 *   ------+----------------+---------------------------------------------------------------------------
 *   rule  | AWS, memory    | it belongs to its group, and a document that adopts the group adopts it
 *   group | Google Cloud   | adopt names a network tag, which is no object: two groups of a network cannot
 *         |                | share one
 */
export function* adoptable(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    for (const { value: target } of targetsOf(set, Object.keys(rule.value.metadata.adopt ?? {}))) {
      const { provider } = target.spec;
      if (!isInGroup('firewall-rule', provider)) continue;
      const at = rule.at(['metadata', 'adopt', target.metadata.name]);
      const message = `a firewall rule of ${provider} cannot be adopted: it belongs to its group`;
      const expected = 'adopt at the group, in the groups of the network; the rule without adopt';
      yield error('not-adoptable', at, message, { expected });
    }
  }
  yield* networkTags(set);
  yield* splitAdoptions(set);
}

/**
 * A network of Google Cloud is one in all of its project: a rule that adopts for one of its targets alone would be made anew for the
 * other, and a group would have two tags.
 */
function* splitAdoptions(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules)
    yield* split(rule, ['metadata', 'adopt'], rule.value.metadata.adopt, targetsIn(set, rule.value));
  for (const network of set.networks.values()) {
    const targets = targetsOf(set, network.value.spec.targets);
    for (const [index, { adopt }] of network.value.spec.groups.entries())
      yield* split(network, ['spec', 'groups', index, 'adopt'], adopt, targets);
  }
}

function* split(
  document: Located<unknown>,
  path: Path,
  adopt: Claim['adopt'],
  targets: readonly Located<TargetDoc>[],
): Iterable<Problem> {
  if (adopt === undefined) return;
  const inProjects = targets.map(({ value }) => value).filter(({ spec }) => spec.provider === 'gcp');
  for (const [project, all] of Map.groupBy(inProjects, scopeOf)) {
    const names = all.map(({ metadata }) => metadata.name);
    const ids = new Set(names.map((name) => adopt[name]?.toString()));
    if (ids.size === 1) continue;
    const id = [...ids].find((one) => one !== undefined) ?? '';
    const message = `it is one in all of ${project}, and adopt differs on its targets`;
    const expected = `the same id on each: { ${names.map((name) => `${name}: ${id}`).join(', ')} }`;
    yield error('split-adoption', document.at(path), message, { expected });
  }
}

/** https://cloud.google.com/vpc/docs/add-remove-network-tags#restrictions */
const NETWORK_TAG = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const TAG_FORM =
  'a network tag (lower-case letters, digits and -, at most 63 characters, beginning with a letter), or the address of a service account, such as web@acme-prod.iam.gserviceaccount.com';

/** Network tags and service accounts of Google Cloud that groups adopt. */
function* networkTags(set: SpecSet): Iterable<Problem> {
  const seen = new Map<string, string>();
  for (const { at, tag, place: where, group } of adoptedTags(set)) {
    const thing = tag.includes('@') ? 'service account' : 'network tag';
    const other = seen.get(`${where} ${tag}`);
    seen.set(`${where} ${tag}`, group);
    if (!(tag.includes('@') ? serviceAccount : NETWORK_TAG).test(tag)) {
      yield error('not-adoptable', at, `\`${tag}\` is no ${thing} of Google Cloud`, { expected: TAG_FORM });
    } else if (other !== undefined) {
      const message = `\`${tag}\` is also the ${thing} of the group \`${other}\``;
      yield error('adopted-twice', at, message, { expected: 'one of the two' });
    }
  }
}

function* adoptedTags(set: SpecSet) {
  for (const { document, path, kind, name, adopt = {} } of claimsIn(set)) {
    if (kind !== 'group') continue;
    const [network, group = ''] = name.split('.');
    for (const { value: target } of targetsOf(set, Object.keys(adopt))) {
      const here = target.metadata.name;
      const [tag = ''] = idsOf(adopt[here]);
      if (target.spec.provider !== 'gcp') continue;
      yield { at: document.at([...path, here]), tag, place: `${network} ${here}`, group };
    }
  }
}
