import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../../providers/memory/dialect.ts';
import type { RuleDraft } from '../../../src/core/compile/dialect.ts';

const draft: RuleDraft = {
  name: 'web-https',
  network: 'memory/acme/north/network/core',
  group: 'memory/acme/north/group/core.web',
  base: { direction: 'ingress', action: 'allow', protocol: 'tcp' },
  traffic: { ports: ['443'], peers: ['10.0.0.0/8'] },
  extra: { description: 'site', priority: 1000, disabled: false, log: false },
};
const short = (ref: string): string => ref.split('/').at(-1) ?? '';

const cases: readonly {
  readonly name: string;
  readonly given: Partial<RuleDraft['traffic']> & { readonly protocol?: string };
  readonly want: readonly string[];
}[] = [
  { name: 'one port, one peer: one atom', given: {}, want: ['core.web_ingress_tcp_443_10.0.0.0/8'] },
  {
    name: 'ports times peers',
    given: { ports: ['80', '8000-8100'], peers: ['10.0.0.0/8', 'group:memory/acme/north/group/core.lb'] },
    want: [
      'core.web_ingress_tcp_80_10.0.0.0/8',
      'core.web_ingress_tcp_8000-8100_10.0.0.0/8',
      'core.web_ingress_tcp_80_group:core.lb',
      'core.web_ingress_tcp_8000-8100_group:core.lb',
    ],
  },
  {
    name: 'anyone is both families',
    given: { peers: ['any'] },
    want: ['core.web_ingress_tcp_443_0.0.0.0/0', 'core.web_ingress_tcp_443_::/0'],
  },
  {
    name: 'anyone over icmp is IPv4',
    given: { protocol: 'icmp', ports: ['8/all'], peers: ['any'] },
    want: ['core.web_ingress_icmp_8/all_0.0.0.0/0'],
  },
  {
    name: 'anyone over icmpv6 is IPv6',
    given: { protocol: 'icmpv6', ports: ['all'], peers: ['any'] },
    want: ['core.web_ingress_icmpv6_all_::/0'],
  },
];
for (const { name, given, want } of cases) {
  test(name, () => {
    const { protocol = 'tcp', ...traffic } = given;
    const base = { ...draft.base, protocol };
    const atoms = dialect.rules.atoms({ ...draft, base, traffic: { ...draft.traffic, ...traffic } });
    assert.deepEqual(
      atoms.map((atom) => dialect.rules.contentName?.(atom.attributes, short)),
      want,
    );
    for (const { attributes } of atoms)
      assert.deepEqual([attributes.description, attributes.match.peers.length], ['site', 1]);
  });
}

const defaults = [
  { ingress: 'deny', egress: 'allow', want: ['egress 0.0.0.0/0 implied'] },
  { ingress: 'deny', egress: 'deny', want: [] },
  { ingress: 'allow', egress: 'deny', want: ['ingress 0.0.0.0/0 stated', 'ingress ::/0 stated'] },
] as const;
for (const { ingress, egress, want } of defaults) {
  test(`by default ingress ${ingress}, egress ${egress}: ${want.join(', ') || 'nothing'}`, () => {
    const atoms = dialect.rules.defaults({
      network: draft.network,
      groups: [draft.group],
      default: { ingress, egress },
    });
    assert.deepEqual(
      atoms.map(({ attributes: { match }, presence }) => `${match.direction} ${match.peers} ${presence}`),
      want,
    );
  });
}

test('names and places', () => {
  const place = { account: 'acme', region: 'north' };
  assert.deepEqual(
    [
      dialect.scope(place),
      dialect.names.prefix('subnet', place),
      dialect.names.objectName('subnet', 'core.app'),
      dialect.names.objectName('instance', 'web-0'),
    ],
    ['memory/acme/north', 'memory/acme/north', 'core-app', 'web-0'],
  );
});
