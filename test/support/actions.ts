import type { Action } from '../../src/core/action.ts';
import type { Desired, Terms } from '../../src/core/desired.ts';
import type { FieldChange } from '../../src/core/diff.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Attributes, Kind, RuleAttributes } from '../../src/core/resource.ts';

/** Short ways to write desired and observed resources and actions of the scope `memory/acme/here`. */
const prefix = 'memory/acme/here';
export const at = (kind: Kind, name: string): string => `${prefix}/${kind}/${name}`;

const terms: Terms = { mode: 'enforce', protect: false, deletionPolicy: 'delete' };

/** Attributes of `core`'s things, for tests in which most of them do not matter. */
export const attributes = {
  network: (): Attributes['network'] => ({ cidr: '10.0.0.0/16', internet: false, labels: {} }),
  subnet: (network = 'core', cidr = '10.0.1.0/24'): Attributes['subnet'] => ({
    network: at('network', network),
    cidr,
    labels: {},
  }),
  group: (network = 'core'): Attributes['group'] => ({ network: at('network', network), labels: {} }),
  rule: (group: string, match: Partial<RuleAttributes['match']> = {}): RuleAttributes => ({
    network: at('network', 'core'),
    group: at('group', group),
    match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['0.0.0.0/0'], ...match },
    description: '',
  }),
  instance: (subnet = 'core.app', groups: readonly string[] = ['core.web']): Attributes['instance'] => ({
    placement: { subnet: at('subnet', subnet), publicIp: false },
    groups: groups.map((group) => at('group', group)),
    machine: { image: 'ami-1', size: 'small', power: 'running' },
    labels: {},
  }),
};

/** `document`: the name of the document behind it; default: the resource's own without its ordinal. */
export function desired<K extends Kind>(
  kind: K,
  name: string,
  attributesOf: Attributes[K],
  document?: string,
): Desired<K> {
  const address = at(kind, document ?? name.replace(/-\d+$/, ''));
  return {
    kind,
    address: at(kind, name),
    name,
    attributes: attributesOf,
    terms,
    documents: [{ address, file: 'all.yaml', line: 1 }],
  };
}

export function observed<K extends Kind>(kind: K, id: string, attributesOf: Attributes[K]): Observed<K> {
  return { kind, id, name: id, attributes: attributesOf, signs: {}, condition: { state: 'ready' } };
}

const about = ({ kind, address, documents }: Desired) => ({ kind, address, documents, cause: 'rollout' as const });

export const create = (wanted: Desired): Action => ({
  ...about(wanted),
  verb: 'create',
  desired: wanted,
  because: 'absent',
});

export function update(
  wanted: Desired,
  seen: Observed,
  changes: readonly FieldChange[],
  effect: 'in-place' | 'stops' = 'in-place',
): Action {
  return { ...about(wanted), verb: 'update', desired: wanted, observed: seen, changes, effect };
}

export const replace = (wanted: Desired, seen: Observed): Action => ({
  ...about(wanted),
  verb: 'replace',
  desired: wanted,
  observed: seen,
  changes: [],
});

export const remove = (name: string, seen: Observed): Action => ({
  kind: seen.kind,
  address: at(seen.kind, name),
  documents: [],
  cause: 'rollout',
  verb: 'delete',
  observed: seen,
  because: 'removed',
});
