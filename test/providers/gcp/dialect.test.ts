import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect } from '../../../providers/gcp/dialect.ts';
import type { Atom, RuleDraft } from '../../../src/core/compile/dialect.ts';

const network = 'gcp/acme/global/network/core';
const web = 'tag:core-web';

interface Over {
  readonly name?: string;
  readonly direction?: 'ingress' | 'egress';
  readonly action?: 'allow' | 'deny';
  readonly protocol?: string;
  readonly group?: string;
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
  readonly extra?: Partial<RuleDraft['extra']>;
}

const draft = (over: Over = {}): RuleDraft => ({
  name: over.name ?? 'web-https',
  network,
  group: over.group ?? web,
  base: { direction: over.direction ?? 'ingress', action: over.action ?? 'allow', protocol: over.protocol ?? 'tcp' },
  traffic: { ports: over.ports ?? ['443'], peers: over.peers ?? ['0.0.0.0/0'] },
  extra: { description: 'd', priority: 1000, disabled: false, log: false, ...over.extra },
});

const atomsOf = (over: Over = {}): readonly Atom[] => dialect.rules.atoms(draft(over));
const nameOf = (over: Over = {}): string | undefined => atomsOf(over)[0]?.name;
const peersOf = (over: Over): readonly (readonly string[])[] =>
  atomsOf(over).map(({ attributes: { match } }) => match.peers);

describe('how Google Cloud names places and things', () => {
  const place = { account: 'acme', region: 'europe-west1', zone: 'europe-west1-b' };
  const rows = [
    ['network', 'gcp/acme/global'],
    ['group', 'gcp/acme/global'],
    ['firewall-rule', 'gcp/acme/global'],
    ['subnet', 'gcp/acme/europe-west1'],
    ['instance', 'gcp/acme/europe-west1-b'],
  ] as const;
  for (const [kind, want] of rows)
    test(`a ${kind} stands in ${want}`, () => assert.equal(dialect.names.prefix(kind, place), want));
  test('its scope is the project, whatever the region', () =>
    assert.deepEqual(
      [dialect.scope(place), dialect.scope({ account: 'acme', region: 'us-central1' })],
      ['gcp/acme', 'gcp/acme'],
    ));
  test('dots become -', () => assert.equal(dialect.names.objectName('subnet', 'core.app'), 'core-app'));
  test('a name of 63 stays as it is', () =>
    assert.equal(dialect.names.objectName('firewall-rule', 'x'.repeat(63)), 'x'.repeat(63)));
  test('a longer one ends in a hash of the whole, and fits', () => {
    const [a, b] = ['a', 'b'].map((end) => dialect.names.objectName('firewall-rule', `core.${'x'.repeat(70)}${end}`));
    assert.match(a ?? '', /^core-x{49}-[0-9a-f]{8}$/);
    assert.equal(a?.length, 63);
    assert.notEqual(a, b);
  });
});

describe('how Google Cloud says a rule', () => {
  const cuts: readonly (readonly [string, Over, readonly (readonly string[])[]])[] = [
    ['one family: one firewall', { peers: ['10.0.0.0/8', '192.168.0.0/16'] }, [['10.0.0.0/8', '192.168.0.0/16']]],
    ['families never mix', { peers: ['2001:db8::/32', '10.0.0.0/8'] }, [['10.0.0.0/8'], ['2001:db8::/32']]],
    ['any is both families', { peers: ['any'] }, [['0.0.0.0/0'], ['::/0']]],
    ['any beside a family says it once', { peers: ['any', '0.0.0.0/0'] }, [['0.0.0.0/0'], ['::/0']]],
    ['tags go with IPv4', { peers: ['tag:core-lb', '::/0', '10.0.0.0/8'] }, [['10.0.0.0/8', 'tag:core-lb'], ['::/0']]],
    ['tags alone', { peers: ['tag:core-lb'] }, [['tag:core-lb']]],
    ['tags beside IPv6 only', { peers: ['tag:core-lb', '::/0'] }, [['tag:core-lb'], ['::/0']]],
  ];
  for (const [name, over, want] of cuts) test(name, () => assert.deepEqual(peersOf(over), want));

  test('all ports of a rule are one list', () => {
    const [atom] = atomsOf({ ports: ['8000-8100', '443', '8101'] });
    assert.equal(atom?.attributes.match.ports, '443,8000-8101');
  });
  test('the network holds it, for whom it is for', () => {
    const [atom] = atomsOf();
    assert.deepEqual([atom?.attributes.group, atom?.attributes.match.targets], [undefined, [web]]);
  });
  test('priority, disabled and log are its order', () => {
    const [atom] = atomsOf({ extra: { priority: 0, disabled: true, log: true } });
    assert.deepEqual(atom?.attributes.order, { priority: 0, disabled: true, log: true });
  });

  const refused: readonly (readonly [string, Over])[] = [
    ['egress to tags', { direction: 'egress', peers: ['tag:core-lb'] }],
    ['service tags', { peers: ['service-tag:Internet'] }],
    ['prefix lists', { peers: ['prefix-list:pl-1'] }],
    ['types of icmp', { protocol: 'icmp', ports: ['8/0'] }],
  ];
  for (const [name, over] of refused)
    test(`${name}: refused, as there are none here`, () => assert.throws(() => atomsOf(over), RangeError));
});

describe('the name of a firewall', () => {
  test('is the document’s and eight digits', () => assert.match(nameOf() ?? '', /^web-https-[0-9a-f]{8}$/));

  const another: readonly (readonly [string, Over])[] = [
    ['direction', { direction: 'egress' }],
    ['action', { action: 'deny' }],
    ['whom it is for', { group: 'tag:core-all' }],
    ['the tags it lets in', { peers: ['0.0.0.0/0', 'tag:core-lb'] }],
  ];
  for (const [what, over] of another)
    test(`is another when ${what} changes: the new stands before the old goes`, () =>
      assert.notEqual(nameOf(over), nameOf()));

  const same: readonly (readonly [string, Over])[] = [
    ['ports', { ports: ['80'] }],
    ['blocks', { peers: ['10.0.0.0/8'] }],
    ['protocol', { protocol: 'udp' }],
    ['order', { extra: { priority: 1, disabled: true, log: true } }],
    ['description', { extra: { description: 'other' } }],
  ];
  for (const [what, over] of same)
    test(`is the same when the ${what} changes: that happens in place`, () => assert.equal(nameOf(over), nameOf()));

  test('tells the cuts of one rule apart', () => {
    const names = atomsOf({ peers: ['any'] }).map(({ name }) => name);
    assert.equal(new Set(names).size, 2);
  });
  test('of a cut does not depend on whether there is another', () =>
    assert.equal(atomsOf({ peers: ['any'] })[0]?.name, nameOf()));
});

describe('the network’s default', () => {
  const rows = [
    ['deny', 'allow', []],
    ['allow', 'allow', ['ingress allow 0.0.0.0/0', 'ingress allow ::/0']],
    ['deny', 'deny', ['egress deny 0.0.0.0/0', 'egress deny ::/0']],
    ['allow', 'deny', ['ingress allow 0.0.0.0/0', 'ingress allow ::/0', 'egress deny 0.0.0.0/0', 'egress deny ::/0']],
  ] as const;
  for (const [ingress, egress, want] of rows)
    test(`ingress ${ingress}, egress ${egress}: ${want.length} firewalls`, () => {
      const atoms = dialect.rules.defaults({ network, groups: [], default: { ingress, egress } });
      const said = atoms.map(({ attributes: { match } }) => `${match.direction} ${match.action} ${match.peers}`);
      assert.deepEqual(said, want);
      for (const { name, attributes, presence } of atoms) {
        assert.match(name, /^default-(?:ingress|egress)-[0-9a-f]{8}$/);
        assert.deepEqual([attributes.order?.priority, attributes.match.targets, presence], [65_534, [], 'stated']);
        assert.deepEqual([attributes.match.protocol, attributes.match.ports], ['all', 'all']);
      }
      assert.equal(new Set(atoms.map(({ name }) => name)).size, atoms.length);
    });
});
