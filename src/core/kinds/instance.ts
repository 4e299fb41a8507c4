import type { FieldChange } from '../diff.ts';
import type { InstanceAttributes, Ref } from '../resource.ts';
import { type KindRules, mapGroups, serviceAccount } from './rules.ts';

export const instance: KindRules<'instance'> = {
  tier: 4,
  deletionPolicy: 'retain',
  effects: {
    placement: 'replace',
    groups: 'in-place',
    'machine.image': 'replace',
    'machine.size': 'stops',
    'machine.identity': 'in-place',
    'machine.power': (change) => (change.to === 'stopped' ? 'stops' : 'in-place'),
    'disk.size': (change) => (shrinks(change) ? 'blocked' : 'in-place'),
    'disk.type': 'in-place',
    'disk.encrypted': 'replace',
    boot: 'replace',
    settings: 'blocked',
    labels: 'in-place',
    mark: 'in-place',
  },
  categories: {
    placement: 'network',
    groups: 'traffic',
    'machine.image': 'disk',
    'machine.size': 'size',
    'machine.identity': 'identity',
    'machine.power': 'power',
    'disk.size': 'disk',
    'disk.type': 'disk',
    'disk.encrypted': 'disk',
    boot: 'identity',
    settings: 'network',
    'settings.keyPair': 'identity',
    'settings.scopes': 'identity',
    'settings.metadataTokens': 'identity',
    'settings.spot': 'size',
    'settings.dataDisks': 'disk',
    'settings.bootDiagnostics': 'disk',
    'settings.ipForwarding': 'traffic',
    labels: 'labels',
    name: 'name',
    mark: 'ours',
  },
  removable: ['labels', 'machine.identity', 'boot.userData', 'boot.access'],
  mapRefs: (attributes, to) => ({
    ...attributes,
    placement: { ...attributes.placement, subnet: to(attributes.placement.subnet) },
    ...(attributes.groups === undefined ? {} : { groups: mapGroups(attributes.groups, to) }),
  }),
  clash: () => false,
};

/**
 * The groups whose rules a machine has: its own, and the service account of Google Cloud that it runs as. Undefined where nobody
 * stated its groups.
 */
export function membershipsOf({ groups, machine: { identity } }: InstanceAttributes): readonly Ref[] | undefined {
  if (groups === undefined || identity === undefined || !serviceAccount.test(identity)) return groups;
  return [...groups, `service-account:${identity}`];
}

/** No cloud makes a disk smaller, and a disk that is larger than asked for is no reason to lose what is on it. */
const shrinks = ({ from, to }: FieldChange): boolean => typeof from === 'number' && typeof to === 'number' && to < from;

/** The image of a machine to launch. A document without one only adopts: no plan launches from it. */
export function imageToLaunch({ image }: InstanceAttributes['machine']): string {
  if (image === undefined) throw new RangeError('a machine without an image cannot be launched');
  return image;
}
