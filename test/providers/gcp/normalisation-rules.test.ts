import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect } from '../../../providers/gcp/dialect.ts';
import { firewallOf, observeFirewall } from '../../../providers/gcp/firewall.ts';
import type { Firewall } from '../../../providers/gcp/messages.ts';
import { resolveIn } from '../../../providers/gcp/parents.ts';
import { diff } from '../../../src/core/diff.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { network, project, report, ruleCases, type Said } from './rule-cases.ts';

/** As the spec layer hands it over, but for spellings, which are tried here too. */
function wanted(said: Said = {}): RuleAttributes {
  const atoms = dialect.rules.atoms({
    name: 'web-https',
    network,
    group: 'tag:core-web',
    base: {
      direction: said.direction ?? 'ingress',
      action: said.action ?? 'allow',
      protocol: said.protocol ?? 'tcp',
    },
    traffic: { ports: said.ports ?? ['443'], peers: said.peers ?? ['10.0.0.0/8'] },
    extra: { description: '', priority: said.priority ?? 1000, disabled: false, log: said.log ?? false },
  });
  assert.equal(atoms.length, 1);
  const [atom] = atoms;
  assert.ok(atom);
  return atom.attributes;
}

const networks = [
  { id: '3912', selfLink: `https://www.googleapis.com/compute/v1/projects/${project}/global/networks/core` },
];
const resolve = resolveIn(networks, { project });

const seen = (cloud: Firewall): RuleAttributes => observeFirewall(report(cloud), resolve, project).attributes;

describe('rules: same or drift', () => {
  for (const { id, name, spec, cloud, want } of ruleCases) {
    test(`${id}: ${name}: ${want}`, () => {
      const changes = diff(wanted(spec), seen(cloud));
      if (want === 'same') assert.deepEqual(changes, []);
      else assert.notDeepEqual(changes, []);
    });
  }
});

describe('ports that are none', () => {
  for (const port of ['1-1-1', 'abc', '', '70000', '90-80'])
    test(`G20: ${JSON.stringify(port)} is refused before any call`, () =>
      assert.throws(() => wanted({ ports: [port] }), RangeError));
  test('G20: and never taken for every port where the cloud says them', () =>
    assert.notEqual(seen({ allowed: [{ IPProtocol: 'tcp', ports: ['abc'] }] }).match.ports, 'all'));
});

describe('a firewall of several protocols', () => {
  test('says each with its ports, in one order', () => {
    const entries = [
      { IPProtocol: 'udp', ports: ['53'] },
      { IPProtocol: 'icmp' },
      { IPProtocol: 'tcp', ports: ['80-90', '85'] },
    ];
    const { protocol, ports } = seen({ allowed: entries }).match;
    assert.deepEqual([protocol, ports], ['icmp,tcp,udp', 'icmp:all;tcp:80-90;udp:53']);
    assert.deepEqual(seen({ allowed: entries.toReversed() }), seen({ allowed: entries }));
  });
});

describe('what is written reads back the same', () => {
  const rows: readonly Said[] = [
    {},
    { ports: ['22', '80-90'], protocol: 'udp' },
    { protocol: 'icmpv6', ports: ['all'], peers: ['2001:db8::/32'] },
    { protocol: '50', ports: ['all'] },
    { action: 'deny', priority: 0, log: true },
    { direction: 'egress' },
    { peers: ['tag:core-lb', '10.0.0.0/8'] },
  ];
  for (const said of rows)
    test(JSON.stringify(said), () => {
      const attributes = wanted(said);
      const sent = firewallOf(attributes, { name: 'x', description: '' });
      const selfLink = report({}).selfLink ?? '';
      const back = observeFirewall(
        { ...sent, id: '1', selfLink, network: networks[0]?.selfLink ?? '' },
        resolve,
        project,
      );
      assert.deepEqual(back.attributes, attributes);
    });
});
