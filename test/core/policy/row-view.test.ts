import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from '../../../src/core/inventory/row.ts';
import { viewsOfRow } from '../../../src/core/policy/view.ts';
import type { Attributes, Kind } from '../../../src/core/resource.ts';
import { rowOf } from '../../store/fixtures.ts';

const standing = <K extends Kind>(kind: K, attributes: Attributes[K], more: Partial<Row['called']> = {}): Row => {
  const row = rowOf('x', { place: { kind }, called: more });
  return { ...row, sides: { diff: [], observed: { attributes, state: 'ready', parts: [] } } };
};

const match = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '22', peers: ['group:sg-9'] } as const;
const rule: Attributes['firewall-rule'] = { network: 'vpc-1', group: 'sg-1', match, description: '' };

const unmanaged = (row: Row): Row => {
  const { address: _, ...called } = row.called;
  return { ...row, called: { ...called, id: 'sgr-1' }, whose: { claim: 'unmanaged', documents: [] } };
};

describe('an object that stands, as a view', () => {
  it('has the names of clouds where nobody claims it', () => {
    const [one, ...others] = viewsOfRow(unmanaged(standing('firewall-rule', rule)), new Map());
    assert.equal(others.length, 0);
    const { view } = one ?? assert.fail();
    assert.equal(view.address, 'sgr-1');
    assert.ok('peers' in view);
    assert.deepEqual([view.peers, view.appliesTo, view.network], [['group:sg-9'], ['group:sg-1'], 'vpc-1']);
    assert.equal(view.networkDefault, false);
  });

  it('has the names of documents where it is ours', () => {
    const address = 'aws/1/r/firewall-rule/core.ssh';
    const group = 'aws/1/r/group/core.web';
    const row = standing(
      'firewall-rule',
      { ...rule, network: 'aws/1/r/network/core', group },
      { address: `${address}_22` },
    );
    const documents = [{ address, file: 'a.yaml', line: 1 }];
    const [one] = viewsOfRow({ ...row, whose: { claim: 'ours', documents, owner: 'team-net' } }, new Map());
    const { view } = one ?? assert.fail();
    assert.deepEqual([view.address, view.name, view.owner], [address, 'core.ssh', 'team-net']);
    assert.ok('appliesTo' in view);
    assert.deepEqual([view.network, view.appliesTo], ['core', ['group:core.web']]);
  });

  it('is one for each protocol of a rule', () => {
    const several = { ...rule, match: { ...match, protocol: 'tcp,udp', ports: 'tcp:22;udp:53' } };
    const views = viewsOfRow(standing('firewall-rule', several), new Map());
    assert.deepEqual(
      views.map(({ view }) => ('ports' in view ? [view.protocol, view.ports] : [])),
      [
        ['tcp', [{ from: 22, to: 22 }]],
        ['udp', [{ from: 53, to: 53 }]],
      ],
    );
  });

  for (const state of ['gone', 'deleting'] as const)
    it(`is none while it is ${state}`, () => {
      const row = standing('network', { cidr: '10.0.0.0/8', labels: {} });
      const { observed } = row.sides;
      assert.ok(observed);
      assert.deepEqual(viewsOfRow({ ...row, sides: { diff: [], observed: { ...observed, state } } }, new Map()), []);
    });

  it('has groups of Google Cloud by the names of documents', () => {
    const tagged = { ...rule, match: { ...match, peers: ['tag:core-web'], targets: ['tag:core-db'] } };
    const { group: _, ...withoutGroup } = tagged;
    const tags = new Map([['tag:core-web', 'group:core.web']]);
    const [one] = viewsOfRow(standing('firewall-rule', withoutGroup), tags);
    assert.ok(one && 'peers' in one.view);
    assert.deepEqual([one.view.peers, one.view.appliesTo], [['group:core.web'], ['tag:core-db']]);
  });
});
