import type { Attributes, Kind, RuleMatch } from '../../src/core/resource.ts';
import type { Stage } from './stage.ts';
import { byName, holds, type Subject } from './subject.ts';

/** A field that may change in place. */
export type Edit = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly name: string;
    /** Absent: wherever the kind is. */
    readonly fits?: (subject: Subject) => boolean;
    readonly from?: (stage: Stage) => Partial<Attributes[K]>;
    readonly to: (was: Attributes[K], stage: Stage) => Attributes[K];
  };
}[Kind];

const power = (to: 'running' | 'stopped') => (was: Attributes['instance']) => ({
  ...was,
  machine: { ...was.machine, power: to },
});

/** Everything that changes in place somewhere. */
export const edits: readonly Edit[] = [
  {
    kind: 'network',
    name: 'a new label',
    fits: holds('network', 'labels'),
    to: (was) => ({ ...was, labels: { tier: 'core' } }),
  },
  {
    kind: 'network',
    name: 'another value of a label',
    fits: holds('network', 'labels'),
    from: () => ({ labels: { tier: 'core', kept: 'yes' } }),
    to: (was) => ({ ...was, labels: { ...was.labels, tier: 'edge' } }),
  },
  { kind: 'network', name: 'a way out', fits: holds('network', 'internet'), to: (was) => ({ ...was, internet: true }) },
  {
    kind: 'network',
    name: 'no way out any more',
    fits: holds('network', 'internet'),
    from: () => ({ internet: true }),
    to: (was) => ({ ...was, internet: false }),
  },
  {
    kind: 'subnet',
    name: 'a new label',
    fits: holds('subnet', 'labels'),
    to: (was) => ({ ...was, labels: { tier: 'app' } }),
  },
  {
    kind: 'subnet',
    name: 'a way out',
    fits: holds('subnet', 'internet'),
    from: () => ({ internet: false }),
    to: (was) => ({ ...was, internet: true }),
  },
  {
    kind: 'subnet',
    name: 'no way out any more',
    fits: holds('subnet', 'internet'),
    from: () => ({ internet: true }),
    to: (was) => ({ ...was, internet: false }),
  },
  { kind: 'group', name: 'a new label', to: (was) => ({ ...was, labels: { tier: 'web' } }) },
  { kind: 'firewall-rule', name: 'a description', to: (was) => ({ ...was, description: 'public site' }) },
  {
    kind: 'firewall-rule',
    name: 'no description any more',
    from: () => ({ description: 'public site' }),
    to: (was) => ({ ...was, description: '' }),
  },
  { kind: 'firewall-rule', name: 'other ports', fits: byName, to: (was) => matching(was, { ports: '80,8000-8100' }) },
  { kind: 'firewall-rule', name: 'all ports', fits: byName, to: (was) => matching(was, { ports: 'all' }) },
  {
    kind: 'firewall-rule',
    name: 'another block',
    fits: byName,
    to: (was) => matching(was, { peers: ['10.7.0.0/16'] }),
  },
  {
    kind: 'firewall-rule',
    name: 'a block less',
    fits: byName,
    from: ({ creation }) =>
      matching(creation('firewall-rule').desired.attributes, { peers: ['10.6.0.0/16', '10.7.0.0/16'] }),
    to: (was) => matching(was, { peers: ['10.7.0.0/16'] }),
  },
  {
    kind: 'firewall-rule',
    name: 'everyone in the network instead of a group',
    fits: byName,
    to: (was) => matching(was, { targets: [] }),
  },
  {
    kind: 'firewall-rule',
    name: 'another priority',
    fits: byName,
    to: (was) => ({ ...was, order: { ...was.order, priority: 3000 } }),
  },
  {
    kind: 'firewall-rule',
    name: 'switched off',
    fits: byName,
    to: (was) => ({ ...was, order: { priority: 1000, ...was.order, disabled: true } }),
  },
  { kind: 'instance', name: 'a new label', to: (was) => ({ ...was, labels: { tier: 'web' } }) },
  { kind: 'instance', name: 'other groups', to: (was, { home }) => ({ ...was, groups: [home.groups[1]] }) },
  { kind: 'instance', name: 'one group more', to: (was, { home }) => ({ ...was, groups: home.groups.toSorted() }) },
  {
    kind: 'instance',
    name: 'another size',
    to: (was, { harness }) => ({ ...was, machine: { ...was.machine, size: harness.words.machine.sizes[1] } }),
  },
  { kind: 'instance', name: 'standing still', to: power('stopped') },
  {
    kind: 'instance',
    name: 'another size, standing still',
    to: (was, { harness }) => ({
      ...was,
      machine: { ...was.machine, size: harness.words.machine.sizes[1], power: 'stopped' },
    }),
  },
  {
    kind: 'instance',
    name: 'a larger disk',
    from: () => ({ disk: { size: 32 } }),
    to: (was) => ({ ...was, disk: { size: 64 } }),
  },
  {
    kind: 'instance',
    name: 'another type of disk',
    from: ({ harness }) => ({ disk: { type: harness.words.machine.disks[0] } }),
    to: (was, { harness }) => ({ ...was, disk: { type: harness.words.machine.disks[1] } }),
  },
  {
    kind: 'instance',
    name: 'an identity',
    to: (was, { harness: { words } }) => ({
      ...was,
      machine: { ...was.machine, ...identity(words.machine.identities[0]) },
    }),
  },
  {
    kind: 'instance',
    name: 'another identity',
    from: (stage) => ({
      machine: {
        ...stage.creation('instance').desired.attributes.machine,
        ...identity(stage.harness.words.machine.identities[0]),
      },
    }),
    to: (was, { harness: { words } }) => ({
      ...was,
      machine: { ...was.machine, ...identity(words.machine.identities[1]) },
    }),
  },
];

type Rule = Attributes['firewall-rule'];

function matching(was: Rule, match: Partial<RuleMatch>): Rule {
  return { ...was, match: { ...was.match, ...match } };
}

const identity = (name: string | undefined): { readonly identity?: string } =>
  name === undefined ? {} : { identity: name };
