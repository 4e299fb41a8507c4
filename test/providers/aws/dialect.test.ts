import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect } from '../../../providers/aws/dialect.ts';
import type { Atom, RuleDraft } from '../../../src/core/compile/dialect.ts';

const place = { account: '111122223333', region: 'eu-west-1' };
const at = 'aws/111122223333/eu-west-1';
const network = `${at}/network/core`;
const web = `${at}/group/core.web`;

interface Over {
  readonly protocol?: string;
  readonly action?: 'allow' | 'deny';
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
}

const draft = (over: Over = {}): RuleDraft => ({
  name: 'web-https',
  network,
  group: web,
  base: { direction: 'ingress', action: over.action ?? 'allow', protocol: over.protocol ?? 'tcp' },
  traffic: { ports: over.ports ?? ['443'], peers: over.peers ?? ['0.0.0.0/0'] },
  extra: { description: 'd', priority: 1000, disabled: false, log: false },
});

const short = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const nameOf = ({ attributes }: Atom): string | undefined => dialect.rules.contentName?.(attributes, short);
const namesOf = (rule: RuleDraft): readonly (string | undefined)[] => dialect.rules.atoms(rule).map(nameOf);

describe('how AWS says a rule', () => {
  const rows: readonly { readonly name: string; readonly rule: RuleDraft; readonly want: readonly string[] }[] = [
    { name: 'one port, one peer: one atom', rule: draft(), want: ['core.web.ingress.tcp.443.0.0.0.0/0'] },
    {
      name: 'an atom for each port range and peer',
      rule: draft({ ports: ['443', '8000-8100'], peers: ['10.0.0.0/8', `group:${at}/group/core.lb`] }),
      want: [
        'core.web.ingress.tcp.443.10.0.0.0/8',
        'core.web.ingress.tcp.8000-8100.10.0.0.0/8',
        'core.web.ingress.tcp.443.group:core.lb',
        'core.web.ingress.tcp.8000-8100.group:core.lb',
      ],
    },
    {
      name: 'any peer is both families',
      rule: draft({ peers: ['any'] }),
      want: ['core.web.ingress.tcp.443.0.0.0.0/0', 'core.web.ingress.tcp.443.::/0'],
    },
    {
      name: 'any beside a family says it once',
      rule: draft({ peers: ['any', '0.0.0.0/0'] }),
      want: ['core.web.ingress.tcp.443.0.0.0.0/0', 'core.web.ingress.tcp.443.::/0'],
    },
    {
      name: 'the whole range is all ports',
      rule: draft({ ports: ['0-65535'] }),
      want: ['core.web.ingress.tcp.all.0.0.0.0/0'],
    },
    {
      name: 'numbers that have names get them',
      rule: draft({ protocol: '17' }),
      want: ['core.web.ingress.udp.443.0.0.0.0/0'],
    },
    {
      name: 'ports mean nothing to other protocols',
      rule: draft({ protocol: '132', ports: ['1', '2'] }),
      want: ['core.web.ingress.132.all.0.0.0.0/0'],
    },
    {
      name: 'all protocols have no ports',
      rule: draft({ protocol: 'all', ports: ['all'] }),
      want: ['core.web.ingress.all.all.0.0.0.0/0'],
    },
    {
      name: 'icmp keeps type and code',
      rule: draft({ protocol: 'icmp', ports: ['8/0'] }),
      want: ['core.web.ingress.icmp.8/0.0.0.0.0/0'],
    },
    {
      name: 'icmp of every type is all',
      rule: draft({ protocol: '58', ports: ['all'] }),
      want: ['core.web.ingress.icmpv6.all.0.0.0.0/0'],
    },
    {
      name: 'a prefix list',
      rule: draft({ peers: ['prefix-list:pl-1'] }),
      want: ['core.web.ingress.tcp.443.prefix-list:pl-1'],
    },
  ];
  for (const { name, rule, want } of rows) test(name, () => assert.deepEqual(namesOf(rule), want));

  test('a deny is refused, not forgotten', () => assert.throws(() => namesOf(draft({ action: 'deny' })), RangeError));
  test('a service tag is refused', () =>
    assert.throws(() => namesOf(draft({ peers: ['service-tag:Internet'] })), RangeError));
  test('the description is on every atom', () =>
    assert.deepEqual(
      dialect.rules.atoms(draft({ peers: ['any'] })).map(({ attributes }) => attributes.description),
      ['d', 'd'],
    ));
});

describe('how AWS says a default', () => {
  const said = (egress: 'allow' | 'deny', ingress: 'allow' | 'deny' = 'deny'): readonly string[] =>
    dialect.rules
      .defaults({ network, groups: [web], default: { ingress, egress } })
      .map((atom) => `${atom.presence} ${nameOf(atom)}`);

  test('egress allow: what a group is born with is implied, its IPv6 twin tolerated', () =>
    assert.deepEqual(said('allow'), [
      'implied core.web.egress.all.all.0.0.0.0/0',
      'tolerated core.web.egress.all.all.::/0',
    ]));
  test('egress deny: nothing, so what it is born with is drift', () => assert.deepEqual(said('deny'), []));
  test('ingress deny is native; ingress allow is stated for both families', () =>
    assert.deepEqual(said('deny', 'allow'), [
      'stated core.web.ingress.all.all.0.0.0.0/0',
      'stated core.web.ingress.all.all.::/0',
    ]));
});

describe('where things are on AWS', () => {
  test('the scope and the prefix are account and region', () => {
    assert.equal(dialect.scope(place), at);
    assert.equal(dialect.names.prefix('network', place), at);
  });
  test('a group is called <network>-<group>', () =>
    assert.equal(dialect.names.objectName('group', 'core.web'), 'core-web'));
});
