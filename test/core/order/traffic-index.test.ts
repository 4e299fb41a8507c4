import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Flow, flowOf } from '../../../src/core/order/flow.ts';
import type { Neighbours } from '../../../src/core/order/neighbours.ts';
import { serviceMap, trafficIndex } from '../../../src/core/order/traffic-index.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { attributes as of } from '../../support/actions.ts';

function flow(match: Partial<RuleAttributes['match']>, group = 'core.web'): Flow {
  const found = flowOf(of.rule(group, match));
  assert.ok(found);
  return found;
}
const service = (protocol: string, ports: string) => flow({ protocol, ports }).service;

describe('services that share a protocol and a port', () => {
  const known = [
    service('tcp', '0'),
    service('tcp', '65535'),
    service('tcp', '80-90'),
    service('udp', '80'),
    service('icmp', '8/0'),
    service('all', 'all'),
  ];
  const rows: readonly (readonly [asked: readonly [string, string], want: readonly string[]])[] = [
    [
      ['tcp', '0'],
      ['all all', 'tcp 0'],
    ],
    [
      ['tcp', '65535'],
      ['all all', 'tcp 65535'],
    ],
    [['tcp', '79'], ['all all']],
    [
      ['tcp', '80'],
      ['all all', 'tcp 80-90'],
    ],
    [
      ['tcp', '90-91'],
      ['all all', 'tcp 80-90'],
    ],
    [['tcp', '91'], ['all all']],
    [
      ['icmp', '8/0'],
      ['all all', 'icmp 8/0'],
    ],
    [['icmp', '8/1'], ['all all']],
    [
      ['icmp', '8/all'],
      ['all all', 'icmp 8/0'],
    ],
    [
      ['udp', 'all'],
      ['all all', 'udp 80'],
    ],
    // a rule for every protocol meets the first and the last port of each
    [['all', 'all'], known.map(({ key }) => key).toSorted()],
  ];
  for (const [[protocol, ports], want] of rows)
    test(`${protocol} ${ports}: ${want.join(', ')}`, () =>
      assert.deepEqual(serviceMap(known).meeting(service(protocol, ports), 100)?.toSorted(), want));

  test('more than are asked for are told as too many, as many are told', () => {
    const map = serviceMap([service('tcp', '80'), service('tcp', '80-81'), service('tcp', '80-82')]);
    assert.equal(map.meeting(service('tcp', '80'), 3)?.length, 3);
    assert.equal(map.meeting(service('tcp', '80'), 2), undefined);
    assert.equal(map.meeting(service('tcp', '80'), 1), undefined);
  });
});

test('where nobody knows which groups share machines, a rule of a group meets all that speak of any group', () => {
  const unknown: Neighbours = {
    near: () => undefined,
    blocksOf: () => [],
    standsIn: () => false,
    isInside: () => false,
  };
  const entries = ['a', 'b', 'c'].map((name, at) => {
    const of = flow({ peers: [`group:${name}`] });
    return { at, flow: of, rank: of.rank };
  });
  const met = trafficIndex(entries, unknown).meeting(flow({ peers: ['group:x'] }), 'allow');
  assert.deepEqual([...new Set(met.flat().map(({ at }) => at))].toSorted(), [0, 1, 2]);
});
