import type { Desired } from '../desired.ts';
import { unlaunchable } from '../documents/checks/instances.ts';
import { type InstanceDoc, type InstanceOn, instanceOn, stated, userDataFiles } from '../documents/document.ts';
import { idsOf } from '../documents/fields.ts';
import type { Located } from '../documents/tree.ts';
import { isAccount, serviceAccountAddress } from '../kinds/rules.ts';
import type { Address, InstanceAttributes, MachineSettings, Ref } from '../resource.ts';
import { compareText } from '../text.ts';
import { claimOf } from './network.ts';
import { groupRef } from './rule.ts';
import { addressAt, documentRef, type Site } from './site.ts';
import { termsOf } from './terms.ts';

/** Hashes of values that must not be in a plan. `userData`: of a script, by the spec file that names it and its name there. */
export interface Hashes {
  userData(specFile: string, script: string): string;
  access(access: unknown): string;
}

/**
 * The instances of one document on one target: `web` makes `web-0`, `web-1`, … `inAll`: whether its network has the group of
 * all instances. A stated name is that of the one machine; where a label bears names, it is that label.
 */
export function compileInstances(
  document: Located<InstanceDoc>,
  site: Site,
  { hashes, inAll }: { readonly hashes: Hashes; readonly inAll: boolean },
): readonly Desired<'instance'>[] {
  const { metadata } = document.value;
  const spec = specAt(document.value, site);
  const groups = [...(inAll ? ['all'] : []), ...(spec.groups ?? [])];
  const { nameLabel } = site.dialect.holds;
  const stated = document.value.spec.names?.[site.target.metadata.name];
  const attributes = attributesOf(document, { ...spec, groups }, site, hashes);
  const ref = documentRef(document, instanceAddress(metadata.name, site));
  const minReady = spec.minReady ?? site.target.spec.minReady;
  const reason = unlaunchable(document.value, spec, site.target);
  const terms = {
    ...termsOf(document.value, site),
    ...(minReady === undefined ? {} : { minReadyMs: minReady * 1000 }),
    ...(reason === undefined ? {} : { unlaunchable: reason }),
  };
  return Array.from({ length: spec.replicas }, (_, ordinal) => {
    const name = `${metadata.name}-${ordinal}`;
    const was = (metadata.was ?? []).map((former) => `${former}-${ordinal}`);
    const id = idsOf(metadata.adopt?.[site.target.metadata.name])[ordinal];
    const adopt = id === undefined ? undefined : { [site.target.metadata.name]: id };
    return {
      kind: 'instance',
      address: instanceAddress(name, site),
      name: stated ?? site.dialect.names.objectName('instance', name),
      attributes:
        stated === undefined || nameLabel === undefined
          ? attributes
          : { ...attributes, labels: { ...attributes.labels, [nameLabel]: stated } },
      terms: {
        ...terms,
        ...(stated === undefined || nameLabel !== undefined ? {} : { named: true as const }),
        ...(spec.replace === undefined ? {} : { replace: spec.replace.strategy }),
        ...(spec.beforeDelete === undefined ? {} : { beforeDelete: spec.beforeDelete }),
        ...claimOf(site, 'instance', { adopt, was }),
      },
      documents: [ref],
    };
  });
}

/** A document's fields as they hold on one target. */
export function specAt(document: InstanceDoc, { target }: Site): InstanceOn {
  const spec = instanceOn(document, target.metadata.name);
  if (spec === undefined) {
    throw new Error(`${document.metadata.name} lacks size or subnet; the checks of specs must have refused it`);
  }
  return spec;
}

export const instanceAddress = (name: string, site: Site): Address => addressAt(site, 'instance', name);

function attributesOf(
  document: Located<InstanceDoc>,
  spec: InstanceOn & { readonly groups: readonly string[] },
  site: Site,
  hashes: Hashes,
): InstanceAttributes {
  const { image, size, subnet, disk, settings } = spec;
  const [accounts, groups] = divide(spec.groups.map((group) => groupRef(spec.network, group, site)));
  const identity = accounts[0]?.slice('service-account:'.length) ?? spec.identity;
  const boot = bootOf(spec, scriptNamedIn(document, site), hashes);
  return {
    placement: { subnet: addressAt(site, 'subnet', `${spec.network}.${subnet}`), publicIp: spec.publicIp },
    groups: groups.toSorted(),
    machine: {
      ...(image === undefined ? {} : { image }),
      size,
      ...(identity === undefined ? {} : { identity: reportedIdentity(identity, site) }),
      power: spec.power,
    },
    ...(disk === undefined ? {} : { disk: stated(disk) }),
    ...(boot === undefined ? {} : { boot }),
    ...(settings === undefined ? {} : { settings: settingsOf(stated(settings), site) }),
    labels: document.value.metadata.labels ?? {},
  };
}

/** A machine is in a group that is a service account by running as it. */
const divide = (groups: readonly Ref[]) => [groups.filter(isAccount), groups.filter((ref) => !isAccount(ref))] as const;

/**
 * As clouds report it. An ARN and its name say the same: `arn:aws:iam::1111:instance-profile/web` is `web`. So do the name and the
 * address of a service account of the project.
 */
function reportedIdentity(identity: string, { target: { spec } }: Site): string {
  if (identity.startsWith('arn:')) return identity.slice(identity.lastIndexOf('/') + 1);
  return spec.provider === 'gcp' ? serviceAccountAddress(identity, spec.account) : identity;
}

/** The spec file in which the script of this target is named: it may be an overlay's. */
export function scriptNamedIn(document: Located<InstanceDoc>, { target }: Site): string {
  const use = userDataFiles(document.value).find((one) => one.target === target.metadata.name);
  return document.at(use?.path).file;
}

function bootOf({ userData, access }: InstanceOn, specFile: string, hashes: Hashes): InstanceAttributes['boot'] {
  if (userData === undefined && access === undefined) return undefined;
  return {
    ...(userData === undefined ? {} : { userData: hashes.userData(specFile, userData.file) }),
    ...(access === undefined ? {} : { access: hashes.access(access) }),
  };
}

/** As providers report them: lists sorted, and names of Azure in lower case, as it tells no case apart. */
function settingsOf(settings: MachineSettings, { target }: Site): MachineSettings {
  const named = (name: string): string => (target.spec.provider === 'azure' ? name.toLowerCase() : name);
  const { availabilitySet, scopes, dataDisks, interfaces } = settings;
  return {
    ...settings,
    ...(availabilitySet === undefined ? {} : { availabilitySet: named(availabilitySet) }),
    ...(scopes === undefined ? {} : { scopes: scopes.toSorted(compareText) }),
    ...(dataDisks === undefined ? {} : { dataDisks: dataDisks.map(named).toSorted(compareText) }),
    ...(interfaces === undefined ? {} : { interfaces: interfaces.map(named).toSorted(compareText) }),
  };
}
