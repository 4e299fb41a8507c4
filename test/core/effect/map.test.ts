import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MapLimits, mapInSteps, type TrafficMap } from '../../../src/core/effect/map.ts';
import { allowedBy, type FlowChoice, type Flows, flowsInSteps, focusOn } from '../../../src/core/effect/map-flows.ts';
import type { MapCondition } from '../../../src/core/effect/map-places.ts';

import { endIn } from '../../../src/core/effect/reach-ends.ts';
import { isNone } from '../../../src/core/effect/service-set.ts';
import { type Machine, observedState } from '../../../src/core/effect/state.ts';
import { type Sees, visibleState } from '../../../src/core/effect/visible-state.ts';
import type { Gap } from '../../../src/core/observed.ts';
import { servicesJson, servicesText } from '../../../src/core/render/effect.ts';
import { finish } from '../../../src/core/steps.ts';
import { at } from '../plan/fixture.ts';
import { type EstateDraft, inputOf, type MachineDraft, reachIn } from './estate.ts';

const web: MachineDraft = { name: 'web-0', groups: ['web'], publicIp: true, ip: '10.0.1.5' };
const web1: MachineDraft = { ...web, name: 'web-1', ip: '10.0.1.6' };
const db: MachineDraft = { name: 'db-0', groups: ['db'], subnet: 'far', ip: '10.0.2.5' };
const machines = [web, web1, db];
const sql = { name: 'sql', text: 'tcp 5432 from web to db' };
const ssh = { name: 'ssh', text: 'tcp 22 from 203.0.113.0/24 to web' };
const https = { name: 'https', text: 'tcp 443 from 0.0.0.0/0 to web' };
const out = { name: 'out', text: 'all to any of web' };
const aws: EstateDraft = { cloud: 'aws', machines, rules: [sql, ssh, https, out] };
const gcp: EstateDraft = { ...aws, cloud: 'gcp', rules: [sql, ssh, https], network: { settings: { natGateways: [] } } };
const azure: EstateDraft = { ...aws, cloud: 'azure', rules: [{ ...https, text: `${https.text} @ 200` }] };

interface More {
  readonly gaps?: readonly Gap[];
  readonly choice?: FlowChoice;
  readonly limits?: MapLimits;
  readonly conditions?: Readonly<Record<string, MapCondition>>;
  readonly sees?: Sees;
}

const scope = 'memory/acme/north';

function mapFrom(draft: EstateDraft, more: More = {}): TrafficMap {
  const { gaps = [], choice, limits = { nodes: 300, edges: 500 }, conditions = {}, sees = () => true } = more;
  const given = inputOf(draft);
  const state = visibleState(observedState({ ...given, observation: { ...given.observation, gaps } }), sees);
  const flows = finish(flowsInSteps(state, choice));
  const one = {
    scope,
    state,
    flows,
    sees,
    conditions: new Map(Object.entries(conditions)),
    withEmpty: choice === undefined,
  };
  return finish(mapInSteps([one], limits));
}

/** `internet > web-0 … web-1: 443/tcp by core.https`; `?` before what may pass. */
function edgesIn({ nodes, edges }: TrafficMap): readonly string[] {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return edges.map(({ from, to, open, maybe, rules }) => {
    const services = [
      servicesText(open.map(servicesJson)),
      maybe.length > 0 && `?${servicesText(maybe.map(servicesJson))}`,
    ];
    const by = rules.length === 0 ? '' : ` by ${rules.map(({ name }) => name).join(' ')}`;
    return `${names.get(from)} > ${names.get(to)}: ${services.filter(Boolean).join(' ')}${by}`;
  });
}

const gap: Gap = { kind: 'firewall-rule', code: 'AccessDenied', reason: 'no permission' };

describe('a map of machines and their traffic', () => {
  test('AWS: rules of groups, of blocks and of the internet, each with its rule', () => {
    assert.deepEqual(edgesIn(mapFrom(aws)), [
      '203.0.113.0/24 > web-0 … web-1: 22/tcp, 443/tcp by core.https core.ssh',
      'internet > web-0 … web-1: 443/tcp by core.https',
      'web-0 … web-1 > web-0 … web-1: 443/tcp by core.https core.out',
      'web-0 … web-1 > db-0: 5432/tcp by core.out core.sql',
      'web-0 … web-1 > internet: all traffic by core.out',
    ]);
  });

  test('Google Cloud: a deny before an allow leaves no edge, and the deny is no rule of another one', () => {
    const rules = [
      sql,
      { name: 'stop', text: 'deny tcp 5432 from web to db @ 900' },
      { name: 'ping', text: 'icmp from web to db' },
    ];
    const edges = edgesIn(mapFrom({ ...gcp, rules }));
    assert.ok(edges.includes('web-0 … web-1 > db-0: all icmp by core.ping'), edges.join('\n'));
    assert.ok(!edges.some((edge) => edge.includes('5432')), edges.join('\n'));
  });

  test('a private block may come by a way that nobody evaluates, and is no internet', () => {
    const map = mapFrom({ ...aws, rules: [{ name: 'lan', text: 'tcp 22 from 192.168.0.0/16 to web' }] });
    assert.deepEqual(edgesIn(map), ['192.168.0.0/16 > web-0 … web-1: ?22/tcp by core.lan']);
    assert.equal(map.edges[0]?.fromInternet, false);
    assert.match(map.edges[0]?.reasons.join() ?? '', /does not evaluate peerings/);
  });

  test('Azure: the same traffic of each to each is one edge of the network', () => {
    const lone = { ...web, name: 'app-0', groups: [], publicIp: false, ip: '10.0.1.9' };
    const edges = edgesIn(mapFrom({ ...azure, machines: [...machines, lone] }));
    assert.ok(
      edges.some((edge) => /^core > core: all traffic by .*AllowVnetInBound .*AllowVnetOutBound$/.test(edge)),
      edges.join('\n'),
    );
    assert.ok(!edges.some((edge) => edge.startsWith('web-0 … web-1 > db-0')), edges.join('\n'));
  });

  test('a machine without a public address may be reached by a load balancer, so its edge is uncertain', () => {
    const [edge] = mapFrom({ ...aws, machines: [{ ...web, publicIp: false }] }).edges.filter(({ to }) =>
      to.includes('web-0'),
    );
    assert.deepEqual([edge?.answer, edge?.open, edge?.fromInternet], ['unknown', [], true]);
    assert.match(edge?.reasons.join() ?? '', /no public address, but a load balancer/);
  });

  test('rules that were not listed: every edge is uncertain, and the map and its machines say that more may pass', () => {
    const map = mapFrom(aws, { gaps: [gap] });
    assert.ok(map.edges.length > 0);
    assert.deepEqual([...new Set(map.edges.map(({ answer }) => answer))], ['unknown']);
    assert.ok(map.unknown.some(({ reason }) => reason === 'firewall-rule was not listed completely: no permission'));
    const own = map.nodes.filter(({ kind }) => kind === 'group' || kind === 'instance');
    for (const node of own.filter(({ name }) => name === 'db-0'))
      assert.match(node.doubts.join(), /not listed completely/);
  });

  test('a firewall policy that Setpoint does not evaluate makes the edges of its machines uncertain', () => {
    const map = mapFrom({ ...gcp, outer: { near: { filters: ['firewall policy a'] } } });
    const [edge] = map.edges.filter(({ fromInternet }) => fromInternet);
    assert.equal(edge?.answer, 'unknown');
    assert.match(edge?.reasons.join() ?? '', /firewall policy a may decide/);
    assert.ok(map.unknown.some(({ reason }) => /firewall policy a/.test(reason)));
  });
});

describe('a map of what matters', () => {
  test('the worst comes first: exposed, violating, drifted, failed; a failed rule makes no machine worse', () => {
    const bare = (name: string, ip: string): MachineDraft => ({ name, groups: [name], subnet: 'far', ip });
    const draft = {
      ...aws,
      machines: ['a', 'b', 'c', 'd'].map((name, n) => bare(name, `10.0.2.${n + 9}`)).concat(web),
    };
    const conditions = {
      b: { status: 'Failed', isDrift: false, violations: 0 },
      c: { status: 'Paused', isDrift: true, violations: 0 },
      d: { status: 'InSync', isDrift: false, violations: 2 },
      https: { status: 'Failed', isDrift: false, violations: 1 },
    } as const;
    const { nodes, edges } = mapFrom(draft, { conditions });
    const own = nodes.filter(({ kind }) => kind === 'instance').map(({ name }) => name);
    assert.deepEqual(own, ['web-0', 'd', 'c', 'b', 'a']);
    assert.deepEqual(
      edges[0]?.rules.map(({ name, violates }) => [name, violates]),
      [
        ['core.https', true],
        ['core.ssh', false],
      ],
    );
  });

  test('of a rule: the ends that it lets through, and no other node', () => {
    const map = mapFrom(aws, { choice: { rules: new Set([at('firewall-rule', 'core.sql')]) } });
    assert.deepEqual(edgesIn(map), ['web-0 … web-1 > db-0: 5432/tcp by core.out core.sql']);
  });

  test('of all rules with one name, which lie in different networks or groups', () => {
    const state = observedState(inputOf(aws));
    const rules = state.rules.map((one) => (['https', 'out'].includes(one.id) ? one : { ...one, name: 'same' }));
    const alike = { ...state, rules };
    const { flows } = finish(flowsInSteps(alike, allowedBy(alike, 'same')));
    const allowing = new Set(flows.flatMap((flow) => flow.rules.map(({ held: { id } }) => id)));
    assert.ok(allowing.has('ssh') && allowing.has('sql'), [...allowing].join());
    assert.ok(flows.every((flow) => flow.rules.some(({ held: { name } }) => name === 'same')));
    assert.deepEqual([...(allowedBy(alike, 'ssh')?.rules ?? [])], [at('firewall-rule', 'core.ssh')]);
    assert.equal(allowedBy(alike, 'none'), undefined);
  });

  test('of one machine: its own edges, apart from the others of its group', () => {
    const map = mapFrom(aws, { choice: { focus: ({ name }) => name === 'web-1' } });
    assert.deepEqual(
      edgesIn(map).filter((edge) => !edge.includes('web-1')),
      [],
    );
    assert.ok(edgesIn(map).includes('web-1 > db-0: 5432/tcp by core.out core.sql'));
  });

  test('an empty estate, and one that nobody has observed', () => {
    const empty = mapFrom({ ...aws, machines: [], rules: [] });
    assert.deepEqual([empty.edges, empty.hidden], [[], []]);
    assert.deepEqual(
      empty.nodes.map(({ kind }) => kind),
      ['internet', 'scope', 'network', 'subnet', 'subnet'],
    );
  });
});

describe('a map with more than it may draw', () => {
  const many = Array.from({ length: 40 }, (_, n): MachineDraft => {
    const groups = [n % 2 === 0 ? 'web' : 'db', `own-${n % 20}`];
    return {
      name: `m-${n}`,
      groups,
      subnet: n % 4 < 2 ? 'near' : 'far',
      publicIp: n === 8,
      ip: `10.0.${n % 4 < 2 ? 1 : 2}.${n + 1}`,
    };
  });
  const draft: EstateDraft = {
    ...aws,
    machines: many,
    rules: [https, sql, { ...out, text: 'all to any of own-7' }, out],
  };

  for (const limit of [3, 4, 5, 8, 13, 21, 34, 300])
    test(`at most ${limit} nodes, and each machine counts once`, () => {
      const map = mapFrom(draft, { limits: { nodes: limit, edges: 500 } });
      assert.ok(map.nodes.length <= limit, `${map.nodes.length}`);
      const ids = new Set(map.nodes.map(({ id }) => id));
      assert.equal(ids.size, map.nodes.length);
      assert.deepEqual(
        map.nodes.filter(({ parent }) => parent !== undefined && !ids.has(parent)),
        [],
      );
      assert.deepEqual(
        map.edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to)),
        [],
      );
      const scopes = map.nodes.filter(({ parent, machines: n }) => parent === undefined && n > 0);
      assert.equal(
        scopes.reduce((n, one) => n + one.machines, 0),
        40,
      );
      const drawn = map.nodes.filter(({ kind }) => kind === 'instance').length;
      assert.equal(map.hidden.find(({ what }) => what === 'instances')?.count ?? 0, 40 - drawn);
    });

  test('draws the exposed machine before the others', () => {
    const { nodes } = mapFrom(draft, { limits: { nodes: 13, edges: 500 } });
    assert.ok(
      nodes.some(({ name, trouble }) => name === 'm-8' && trouble.exposed === 1),
      nodes.map(({ name }) => name).join(),
    );
  });

  test('loses no edge: of a bundle it tells that some passes', () => {
    const whole = mapFrom(draft);
    const { edges, nodes } = mapFrom(draft, { limits: { nodes: 6, edges: 500 } });
    assert.ok(nodes.some(({ isCollapsed, kind }) => isCollapsed && kind === 'subnet'));
    assert.ok(edges.some(({ partial, answer }) => partial && answer === 'yes'));
    assert.equal(
      edges.some(({ fromInternet }) => fromInternet),
      whole.edges.some(({ fromInternet }) => fromInternet),
    );
  });

  test('says of an edge to a bundle that not all of it is reached', () => {
    const small: EstateDraft = { ...aws, machines: [web, db], rules: [sql, out] };
    const two = { ...db, name: 'etc-0', groups: ['etc'] };
    const partialOf = (draft: EstateDraft, nodes: number) =>
      mapFrom(draft, { limits: { nodes, edges: 500 } }).edges.map(({ to, partial }) => [to.split('/').at(-1), partial]);
    assert.deepEqual(partialOf({ ...small, machines: [web, db, two] }, 6), [
      ['core.far', true],
      ['internet', false],
    ]);
    assert.ok(partialOf(small, 300).every(([, partial]) => partial === false));
  });

  test('counts the edges beyond the limit', () => {
    const all = mapFrom(draft).edges.length;
    const map = mapFrom(draft, { limits: { nodes: 300, edges: 2 } });
    assert.equal(map.edges.length, 2);
    assert.equal(map.hidden.find(({ what }) => what === 'edges')?.count, all - 2);
    assert.ok(map.edges.every(({ fromInternet }) => fromInternet));
  });
});

describe('a map of many instances', () => {
  test('takes a network with more flows than a call has arguments', () => {
    const crowd = Array.from({ length: 400 }, (_, n): MachineDraft => {
      const ip = `10.0.${n < 200 ? 1 : 2}.${(n % 200) + 1}`;
      return { name: `m-${n}`, groups: ['all', `own-${n}`], subnet: n < 200 ? 'near' : 'far', ip };
    });
    const rules = [
      { ...out, text: 'all to any of all' },
      { name: 'in', text: 'tcp 22 from all to all' },
    ];
    const { edges } = mapFrom({ ...aws, machines: crowd, rules });
    assert.ok(edges.length > 0);
  });

  test('gives the true reason for a group of more than 20 instances, although there is room', () => {
    const crowd = Array.from(
      { length: 25 },
      (_, n): MachineDraft => ({ ...db, name: `c-${n}`, ip: `10.0.2.${n + 9}` }),
    );
    const { nodes, hidden } = mapFrom({ ...aws, machines: crowd });
    assert.ok(nodes.length < 10);
    assert.deepEqual(
      hidden.map(({ what, count }) => [what, count]),
      [['instances', 25]],
    );
    assert.match(hidden[0]?.reason ?? '', /^a group of more than 20 instances is one node/);
  });
});

describe('a map for a caller who sees a part', () => {
  test('draws their machines alone, and names nothing else', () => {
    const sees: Sees = (ref) => ref.endsWith('/instance/web-0');
    const map = mapFrom(aws, { sees });
    const text = JSON.stringify(map);
    for (const word of ['web-1', 'db-0', 'core.https', 'core.ssh', 'core.near', 'subnet-near', 'vpc-core'])
      assert.ok(!text.includes(word), `${word}: ${text}`);
    assert.ok(text.includes('a rule outside of your grants'));
    assert.equal(map.nodes.filter(({ kind }) => kind === 'instance').length, 1);
  });

  const led: EstateDraft = {
    ...aws,
    network: { settings: { peerings: ['vpc-9', 'vpc-8'].map((one) => ({ name: one, network: one })) } },
    subnets: { near: { settings: { routes: [{ destination: '10.7.0.0/16', nextHop: 'tgw-1' }] } } },
  };

  test('says where a peering or a route may add edges: of its own nodes by name, of others without', () => {
    const own = mapFrom(led);
    assert.deepEqual(
      own.unknown.map(({ reason }) => reason),
      [
        'core: a peering leads to vpc-9, which Setpoint does not evaluate',
        'core: a peering leads to vpc-8, which Setpoint does not evaluate',
        'core.near: a route to 10.7.0.0/16 leads to tgw-1, which Setpoint does not evaluate',
      ],
    );
    const part = mapFrom(led, { sees: (ref) => ref.endsWith('/instance/web-0') });
    const place = 'leads to a place outside of your grants, which Setpoint does not evaluate';
    assert.deepEqual(
      part.unknown.map(({ reason }) => reason),
      [`a network outside of your grants: a peering ${place}`, `a subnet outside of your grants: a route ${place}`],
    );
    assert.deepEqual(
      part.nodes.flatMap(({ doubts }) => doubts),
      [`a peering ${place}`, `a route ${place}`],
    );
    assert.deepEqual(JSON.stringify(part).match(/vpc-\d|tgw|10\.7/g), null);
  });

  test('numbers nothing that they may not see', () => {
    const sees: Sees = (ref) => /\/instance\/(web|db)-0$/.test(ref);
    const cidrs = { near: '10.0.1.0/24', far: '10.0.2.0/24' };
    const idsWith = (more: Readonly<Record<string, string>>) =>
      mapFrom({ ...aws, cidrs: { ...more, ...cidrs } }, { sees }).nodes.map(({ id }) => id);
    const ids = idsWith({});
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(idsWith({ a: '10.0.3.0/24', b: '10.0.4.0/24' }), ids);
  });

  test('tells of collapsed places, too', () => {
    const { nodes, unknown } = mapFrom(led, { limits: { nodes: 2, edges: 500 } });
    assert.ok(!nodes.some(({ kind }) => kind === 'subnet'));
    assert.match(unknown.map(({ reason }) => reason).join(), /core\.near: a route/);
  });
});

/** Drafts in which something is denied, unknown or elsewhere. */
const drafts: Readonly<Record<string, EstateDraft>> = {
  aws,
  gcp,
  azure,
  'unknown groups': { ...aws, machines: [web, { ...db, groups: 'unknown' }] },
  'a further interface': { ...aws, machines: [web, { ...web1, interfaces: ['eni-2'] }, db] },
  'a network ACL': { ...aws, outer: { far: { filters: ['network ACL acl-1'] } } },
  'a policy without rules': { ...gcp, rules: [], outer: { near: { filters: ['firewall policy a'] } } },
  'an unlisted filter': { ...gcp, outer: { near: { unlisted: ['denied'] } } },
  'a denial': { ...gcp, rules: [sql, https, { name: 'no', text: 'deny all to 10.0.0.0/8 of everyone @ 900' }] },
  'a service tag': { ...azure, rules: [{ name: 'tag', text: 'deny all from service-tag:VirtualNetwork to db @ 300' }] },
  'a private block': { ...aws, rules: [{ name: 'lan', text: 'tcp 22 from 10.0.0.0/8 to web' }, out] },
};

describe('the map agrees with reach', () => {
  for (const [name, draft] of Object.entries(drafts))
    test(name, () => {
      const state = observedState(inputOf(draft));
      const flows = finish(flowsInSteps(state));
      const all = [...state.machines.values()];
      const pairs = all.flatMap((from) => all.flatMap((to) => (from === to ? [] : [{ from, to }])));
      assert.deepEqual(
        pairs.flatMap(({ from, to }) => {
          const told = toldBy(flows, from, to);
          const question = { kind: 'machines' } as const;
          const { answer } = reachIn(state, {
            from: { ...question, machines: [from] },
            to: { ...question, machines: [to] },
          });
          const isSame = told.answer === answer || (answer === 'unknown' && told.isDoubted);
          return isSame ? [] : [`${from.name} > ${to.name}: ${told.answer}, and reach says ${answer}`];
        }),
        [],
      );
    });
});

describe('the map of one end', () => {
  const narrow = { ...aws, rules: [ssh, out] };

  const focused = (draft: EstateDraft, word: string): readonly string[] =>
    edgesIn(mapFrom(draft, { choice: focusOn(observedState(inputOf(draft)), word) }));

  test('an address, by the rules of the blocks around it', () => {
    assert.deepEqual(focused(aws, '8.8.8.8'), [
      '8.8.8.8/32 > web-0 … web-1: 443/tcp by core.https',
      'web-0 … web-1 > 8.8.8.8/32: all traffic by core.out',
    ]);
  });

  test('a block, with the parts of it that rules tell apart, and nothing around it', () => {
    assert.deepEqual(focused(aws, '203.0.112.0/23').slice(0, 2), [
      '203.0.112.0/23 > web-0 … web-1: 443/tcp by core.https',
      '203.0.113.0/24 > web-0 … web-1: 22/tcp, 443/tcp by core.https core.ssh',
    ]);
    assert.deepEqual(focused(narrow, '8.8.8.8'), ['web-0 … web-1 > 8.8.8.8/32: all traffic by core.out']);
  });

  test('the internet: all public blocks, and no private one', () => {
    const lan = { name: 'lan', text: 'tcp 22 from 192.168.0.0/16 to web' };
    assert.deepEqual(focused({ ...narrow, rules: [ssh, lan] }, 'internet'), [
      '203.0.113.0/24 > web-0 … web-1: 22/tcp by core.ssh',
    ]);
  });

  for (const [name, draft] of Object.entries(drafts))
    for (const word of ['internet', '8.8.8.8', '203.0.113.0/24', '192.168.0.0/16', '10.0.1.77', '2001:db8::1', 'db-0'])
      test(`has an edge, or an unknown, wherever reach from or to ${word} is not no: ${name}`, () =>
        assert.deepEqual(lostBy(draft, word), []));
});

/** The machines with traffic from or to the word that its map does not have. */
function lostBy(draft: EstateDraft, word: string): readonly string[] {
  const state = observedState(inputOf(draft));
  const end = endIn(state, word);
  assert.ok(end);
  const { flows, groups } = finish(flowsInSteps(state, focusOn(state, word)));
  const { unknown } = mapFrom(draft, { choice: focusOn(state, word) });
  const others = [...state.machines.values()].filter(({ name }) => name !== word);
  return others.flatMap((machine) => {
    const own = groups.find((one) => one.machines.some(({ ref }) => ref === machine.ref));
    const one = { kind: 'machines', machines: [machine] } as const;
    const [into, outOf] = [reachIn(state, { from: end, to: one }), reachIn(state, { from: one, to: end })];
    return [
      ...(into.answer === 'no' || flows.some(({ to }) => to === own) ? [] : [`${word} > ${machine.name}`]),
      ...(outOf.answer === 'no' || flows.some(({ from }) => from === own) ? [] : [`${machine.name} > ${word}`]),
    ].filter(() => unknown.length === 0);
  });
}

/** The answer of the map for two machines. `isDoubted`: a group of theirs says that more may pass. */
function toldBy({ groups, flows }: Flows, from: Machine, to: Machine) {
  const groupOf = ({ ref }: Machine) => groups.find((one) => one.machines.some((machine) => machine.ref === ref));
  const [source, sink] = [groupOf(from), groupOf(to)];
  const flow = flows.find((one) => one.from === source && one.to === sink);
  const isDoubted = [source, sink].some((group) => (group?.doubts.length ?? 0) > 0);
  if (flow === undefined) return { answer: 'no', isDoubted };
  return { answer: isNone(flow.sure) ? 'unknown' : 'yes', isDoubted };
}
