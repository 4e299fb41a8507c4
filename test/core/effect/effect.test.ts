import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { effectOf, joinEffects } from '../../../src/core/effect/effect.ts';
import type { Gap } from '../../../src/core/observed.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import { at, see, want } from '../plan/fixture.ts';
import { actionsOf, type EstateDraft, effectOn, groupRef, inputOf, resourcesOf, short } from './estate.ts';

interface Row {
  readonly name: string;
  readonly estate: EstateDraft;
  readonly changes: readonly string[];
  readonly gaps?: readonly Gap[];
  readonly opens?: readonly string[];
  readonly cuts?: readonly string[];
  readonly unknown?: readonly string[];
  readonly doubts?: readonly string[];
}

const web = { name: 'web-0', groups: ['all', 'web'], publicIp: true, ip: '10.0.1.5' };
const web1 = { name: 'web-1', groups: ['all', 'web'], ip: '10.0.1.6' };
const db = { name: 'db-0', groups: ['all', 'db'], subnet: 'far', ip: '10.0.2.5' };
const out = { name: 'out', text: 'all to 0.0.0.0/0 of all' };

const aws: EstateDraft = { cloud: 'aws', machines: [web, web1, db], rules: [out] };
const withRules = (estate: EstateDraft, ...texts: readonly string[]): EstateDraft => ({
  ...estate,
  rules: [...estate.rules, ...texts.map((text, at) => ({ name: `r${at}`, text }))],
});

const gcp: EstateDraft = { ...aws, cloud: 'gcp', rules: [] };
const azure: EstateDraft = {
  ...aws,
  cloud: 'azure',
  rules: [{ name: 'close', text: 'deny all from service-tag:VirtualNetwork to everyone @ 4096' }],
};
const toDb = 'tcp 5432 from web to db';

const rows: readonly Row[] = [
  {
    name: 'AWS: a port is opened to the world: from there to those with a public address, and inside to all',
    estate: aws,
    changes: ['+ssh: tcp 22 from 0.0.0.0/0 to web'],
    opens: ['tcp 22: 0.0.0.0/0 > core.web (1 of 2)', 'tcp 22: all > core.web'],
  },
  {
    name: 'AWS: one group is cut from another',
    estate: withRules(aws, toDb),
    changes: ['-r0'],
    cuts: ['tcp 5432: core.web > core.db'],
  },
  {
    name: 'AWS: a rule that another one covers opens nothing, and its end cuts nothing',
    estate: withRules(aws, 'tcp 5000-6000 from 10.0.0.0/16 to db', toDb),
    changes: ['+again: tcp 5432 from 10.0.1.0/24 to db', '-r1'],
  },
  {
    name: 'AWS: what comes in must also go out at the other end',
    estate: { ...aws, rules: [] },
    changes: [`+in: ${toDb}`],
  },
  {
    name: 'AWS: both ends together open',
    estate: { ...aws, rules: [] },
    changes: [`+in: ${toDb}`, '+out: tcp 5432 to db of web'],
    opens: ['tcp 5432: core.web > core.db'],
  },
  {
    name: 'AWS: only the part of a block that was not open before is opened',
    estate: withRules(aws, 'tcp 22 from 203.0.113.0/24 to web'),
    changes: ['+all: tcp 22 from 0.0.0.0/0 to web'],
    opens: ['tcp 22: 0.0.0.0/0 > core.web (1 of 2)', 'tcp 22: all > core.web'],
  },
  {
    name: 'AWS: a rule is narrowed: the rest of the world is cut, and ports are told as ranges',
    estate: withRules(aws, 'tcp 20-30 from 0.0.0.0/0 to db'),
    changes: ['~r0: tcp 22 from 0.0.0.0/0 to db'],
    cuts: ['tcp 20-21 23-30: 0.0.0.0/0 > core.db (0 of 1)', 'tcp 20-21 23-30: all > core.db'],
  },
  {
    name: 'AWS: a list of the cloud may hold any address',
    estate: aws,
    changes: ['+list: tcp 22 from prefix-list:pl-0a1 to web'],
    unknown: ['opens tcp 22: 0.0.0.0/0 > core.web (1 of 2)', 'opens tcp 22: all > core.web'],
  },
  {
    name: 'AWS: a private block outside is reached by ways that nobody evaluates',
    estate: aws,
    changes: ['+vpn: tcp 22 from 192.168.0.0/16 to db'],
    opens: ['tcp 22: 192.168.0.0/16 > core.db (0 of 1, 1 maybe)'],
  },
  {
    name: 'AWS: the addresses of machines decide on blocks that divide a subnet',
    estate: aws,
    changes: ['+one: tcp 22 from 10.0.1.6/32 to db'],
    opens: ['tcp 22: web-1 > core.db'],
  },
  {
    name: 'AWS: without its address a machine may be in a block that divides its subnet',
    estate: { ...aws, machines: [{ ...web, ip: undefined }, db] },
    changes: ['+one: tcp 22 from 10.0.1.6/32 to db'],
    unknown: ['opens tcp 22: core.web > core.db'],
  },
  {
    name: 'AWS: nobody knows the groups of a machine',
    estate: { ...aws, machines: [web, { ...db, groups: 'unknown' }] },
    changes: ['+in: tcp 5432 from web to db'],
    unknown: ['opens tcp 5432: all > db-0'],
  },
  {
    name: 'AWS: a network ACL may deny what a rule opens',
    estate: { ...aws, outer: { far: { filters: ['network ACL acl-1'] } } },
    changes: [`+in: ${toDb}`],
    unknown: ['opens tcp 5432: core.web > core.db'],
  },
  {
    name: 'AWS: a network ACL of another subnet is no doubt',
    estate: { ...aws, outer: { far: { filters: ['network ACL acl-1'] } } },
    changes: ['+in: tcp 80 from web to web'],
    opens: ['tcp 80: core.web > core.web'],
  },
  {
    name: 'AWS: what a machine sends is opened and cut, too',
    estate: { ...aws, rules: [] },
    changes: ['+out: tcp 443 to 0.0.0.0/0 of web'],
    opens: ['tcp 443: core.web (1 of 2) > 0.0.0.0/0'],
  },
  {
    name: 'AWS: rules were not listed completely: nothing is certain',
    estate: withRules(aws, toDb),
    changes: ['-r0'],
    gaps: [{ kind: 'firewall-rule', code: 'Throttled', reason: 'too many calls' }],
    unknown: ['cuts tcp 5432: core.web > core.db'],
    doubts: ['firewall-rule was not listed completely: too many calls'],
  },
  {
    name: 'Google Cloud: a rule for every machine, and its denial that outranks it for one group',
    estate: withRules(gcp, 'deny tcp 22 from 0.0.0.0/0 to db @ 900'),
    changes: ['+ssh: tcp 22 from 0.0.0.0/0 to everyone @ 1000'],
    opens: ['tcp 22: 0.0.0.0/0 > core-web (1 of 2)', 'tcp 22: all > core-web'],
  },
  {
    name: 'Google Cloud: a denial cuts what another rule lets in',
    estate: withRules(gcp, 'tcp 1-100 from web to db'),
    changes: ['+no: deny tcp 22 from 10.0.1.5/32 to everyone @ 900'],
    cuts: ['tcp 22: web-0 > core-db'],
  },
  {
    name: 'Google Cloud: a denial behind a permission of equal priority decides, and behind a lower one does not',
    estate: withRules(gcp, 'tcp 22 from web to db @ 1000', 'tcp 23 from web to db @ 1000'),
    changes: ['+equal: deny tcp 22 from web to db @ 1000', '+behind: deny tcp 23 from web to db @ 1001'],
    cuts: ['tcp 22: core-web > core-db'],
  },
  {
    name: 'Google Cloud: machines send by default, until a rule denies it',
    estate: withRules(gcp, 'tcp 5432 from web to db'),
    changes: ['+no: deny all to 0.0.0.0/0 of web @ 65535'],
    cuts: ['tcp 5432: core-web > core-db', 'all: core-web (1 of 2, 1 maybe) > 0.0.0.0/0'],
  },
  {
    name: 'Google Cloud: a permission of the last priority is outranked by the implied denial',
    estate: gcp,
    changes: ['+last: tcp 22 from 0.0.0.0/0 to everyone @ 65535'],
  },
  {
    name: 'Google Cloud: several protocols, and targets narrowed by a block',
    estate: gcp,
    changes: ['+many: tcp,udp tcp:80;udp:53 from 0.0.0.0/0 to web+10.0.1.6/32'],
    opens: ['tcp 80, udp 53: 0.0.0.0/0 > web-1 (0 of 1)', 'tcp 80, udp 53: all > web-1'],
  },
  {
    name: 'Google Cloud: a firewall policy may decide otherwise',
    estate: { ...gcp, outer: { near: { filters: ['firewall policy base'] } } },
    changes: ['+ssh: tcp 22 from 0.0.0.0/0 to web'],
    unknown: ['opens tcp 22: 0.0.0.0/0 > core-web (1 of 2)', 'opens tcp 22: all > core-web'],
  },
  {
    name: 'Google Cloud: nor is a change certain where no policy was listed',
    estate: { ...gcp, outer: { near: { unlisted: ['firewall policies were not listed: forbidden'] } } },
    changes: ['+ssh: tcp 22 from 203.0.113.0/24 to web'],
    unknown: ['opens tcp 22: 203.0.113.0/24 > core-web (1 of 2)'],
  },
  {
    name: 'Azure: a port is opened to the Internet, and not to the virtual network',
    estate: azure,
    changes: ['+ssh: tcp 22 from service-tag:Internet to web @ 200'],
    opens: ['tcp 22: 0.0.0.0/0 > core.web (1 of 2)'],
  },
  {
    name: 'Azure: with a peering the tags mean other addresses, too',
    estate: { ...azure, network: { settings: { peerings: [{ name: 'hub', network: 'vnet-hub' }] } } },
    changes: ['+ssh: tcp 22 from service-tag:Internet to web @ 200'],
    unknown: ['opens tcp 22: 0.0.0.0/0 > core.web (1 of 2)'],
  },
  {
    name: 'AWS: a group of one machine is opened to itself, which is nothing',
    estate: { ...aws, machines: [web, db] },
    changes: ['+self: tcp 7000 from web to web'],
  },
  {
    name: 'AWS: a carrier-grade private block is reached by no way that anybody evaluates',
    estate: aws,
    changes: ['+vpn: tcp 22 from 100.64.0.0/16 to db'],
    opens: ['tcp 22: 100.64.0.0/16 > core.db (0 of 1, 1 maybe)'],
  },
  {
    name: 'AWS: with IPv6 a machine may have an address that nobody told',
    estate: { ...aws, network: { settings: {} }, v6: 'near' },
    changes: ['+six: tcp 22 from ::/0 to web'],
    opens: ['tcp 22: ::/0 > core.web (0 of 2, 2 maybe)'],
    unknown: ['opens tcp 22: core.web > core.web'],
  },
  {
    name: 'AWS: of two openings from anyone the one that is reached is first',
    estate: { ...aws, machines: [web, db, { ...db, name: 'db-1', ip: '10.0.2.6' }] },
    changes: ['+one: tcp 5432 from 0.0.0.0/1 to db', '+two: tcp 22 from 0.0.0.0/1 to web'],
    opens: [
      'tcp 22: 0.0.0.0/1 > core.web (1 of 1)',
      'tcp 5432: 0.0.0.0/1 > core.db (0 of 2)',
      'tcp 5432: all > core.db',
      'tcp 22: all > core.web',
    ],
  },
  {
    name: 'Azure: the default rules let everything through inside',
    estate: azure,
    changes: ['-close'],
    opens: ['all: all > all'],
  },
  {
    name: 'Azure: a denial outranks the default rules',
    estate: { ...azure, rules: [] },
    changes: ['+no: deny tcp 5432 from web to db @ 100'],
    cuts: ['tcp 5432: core.web > core.db'],
  },
  {
    name: 'Azure: ports of every protocol are of TCP and UDP, and other protocols have none',
    estate: azure,
    changes: ['+dns: all 53 from web to db @ 100'],
    opens: ['all, tcp 53, udp 53: core.web > core.db'],
  },
  {
    name: 'Azure: source ports are not evaluated',
    estate: azure,
    changes: ['+odd: tcp 22 from 5000 from web to db @ 100'],
    unknown: ['opens tcp 22: core.web > core.db'],
  },
  {
    name: 'Azure: a service tag holds addresses that nobody told, and none of the network',
    estate: azure,
    changes: ['+tag: tcp 22 from service-tag:AzureCloud to web @ 100'],
    unknown: ['opens tcp 22: 0.0.0.0/0 > core.web (1 of 2)'],
  },
  {
    name: 'Azure: a security group on the interface must let it through, too',
    estate: {
      ...azure,
      machines: [{ ...web, filters: ['nic'] }, { ...web1, filters: [] }, db],
      rules: [...azure.rules, { name: 'n0', text: 'deny all from any to everyone @ 100', holder: 'nic' }],
    },
    changes: ['+ssh: tcp 22 from any to web @ 100'],
    opens: ['tcp 22: 0.0.0.0/0 > web-1 (0 of 1)', 'tcp 22: all > web-1'],
  },
  {
    name: 'Azure: nobody knows the security group of a subnet',
    estate: { ...azure, subnets: { far: { filter: false } } },
    changes: ['+sql: tcp 5432 from any to db @ 100'],
    doubts: ['the security group of subnet core.far is not known'],
  },
];

describe('the effect of a plan on traffic', () => {
  for (const { name, estate, changes, gaps, opens = [], cuts = [], unknown = [], doubts = [] } of rows) {
    test(name, () => {
      const effect = effectOn(estate, changes, gaps);
      const got = {
        opens: effect.opens.map(short),
        cuts: effect.cuts.map(short),
        unknown: effect.unknown.map((one) => `${one.change} ${short(one)}`),
        doubts: effect.gaps,
      };
      assert.deepEqual(got, { opens, cuts, unknown, doubts });
    });
  }
});

/** An action on the machine `name`, which becomes as these attributes have it. */
function machineAction(
  estate: EstateDraft,
  verb: 'update' | 'replace' | 'delete' | 'create',
  name: string,
  attributes: Partial<InstanceAttributes> = {},
): Action {
  const observed = resourcesOf(estate).find(({ id }) => id === name) ?? see('instance', name, machine);
  const about = { kind: 'instance' as const, address: at('instance', name), documents: [], cause: 'rollout' as const };
  const desired = want('instance', name, { ...machine, ...attributes });
  const changes = Object.entries(attributes).map(([field, to]) => ({ field, to }));
  if (verb === 'create') return { ...about, verb, desired, because: 'absent' };
  if (verb === 'delete') return { ...about, verb, observed, because: 'removed' };
  if (verb === 'replace') return { ...about, verb, desired, observed, changes };
  return { ...about, verb, desired, observed, changes, effect: 'in-place' };
}

const groupsOf = (...names: readonly string[]): readonly string[] => names.map((name) => groupRef('aws', name));
const machine: InstanceAttributes = {
  placement: { subnet: at('subnet', 'core.near'), publicIp: false },
  groups: groupsOf('all', 'web'),
  machine: { size: 's', power: 'running' },
  labels: {},
};

test('an outer filter is the reason of the changes that it may decide', () => {
  const { unknown } = effectOn({ ...aws, outer: { far: { filters: ['network ACL acl-1'] } } }, [`+in: ${toDb}`]);
  assert.deepEqual(unknown[0]?.reasons, [
    'network ACL acl-1 may decide in subnet core.far, which Setpoint does not evaluate',
  ]);
});

describe('the effect of changed machines', () => {
  const estate = withRules(aws, toDb, 'tcp 443 from 0.0.0.0/0 to web');
  const effect = (...actions: readonly Action[]) => effectOf({ actions }, inputOf(estate));

  test('a machine that moves to another group: its old traffic is cut, its new traffic opens, and it is the cause', () => {
    const { opens, cuts } = effect(machineAction(estate, 'update', 'web-1', { groups: groupsOf('all', 'db') }));
    assert.deepEqual(opens.map(short), ['tcp 5432: core.web > web-1']);
    assert.deepEqual(cuts.map(short), [
      'tcp 443: 0.0.0.0/0 > web-1 (0 of 1)',
      'tcp 443: all > web-1',
      'tcp 5432: web-1 > core.db',
    ]);
    assert.deepEqual(
      opens.map(({ by }) => by),
      [[at('instance', 'web-1')]],
    );
  });

  test('a machine that is replaced by one with a public address is opened to the world', () => {
    const placement = { subnet: at('subnet', 'core.near'), publicIp: true };
    const { opens, cuts } = effect(machineAction(estate, 'replace', 'web-1', { placement }));
    assert.deepEqual(opens.map(short), ['tcp 443: 0.0.0.0/0 > web-1 (1 of 1)', 'all: web-1 (1 of 1) > 0.0.0.0/0']);
    assert.deepEqual(cuts, []);
  });

  test('machines that come or go are neither opened nor cut', () => {
    const { opens, cuts, unknown } = effect(
      machineAction(estate, 'create', 'web-2'),
      machineAction(estate, 'delete', 'web-1'),
    );
    assert.deepEqual({ opens, cuts, unknown }, { opens: [], cuts: [], unknown: [] });
  });

  test('a rule for machines that do not stand yet applies to none, and says how many come', () => {
    const cacheRule = actionsOf(estate, ['+cache: tcp 6379 from web to cache', '+ssh: tcp 22 from web to db']);
    const { idle, opens } = effect(
      ...cacheRule,
      machineAction(estate, 'create', 'cache-0', { groups: groupsOf('all', 'cache') }),
    );
    assert.deepEqual(
      idle.map(({ rule, toCome, document }) => [rule, toCome, document?.file]),
      [[at('firewall-rule', 'core.cache'), 1, 'specs/a.yaml']],
    );
    assert.deepEqual(opens.map(short), ['tcp 22: core.web > core.db']);
  });

  test('the way out goes: what comes from the world is cut', () => {
    const observed = resourcesOf(estate).find(({ id }) => id === 'subnet-near');
    assert.ok(observed);
    const desired = want('subnet', 'core.near', {
      network: at('network', 'core'),
      cidr: '10.0.1.0/24',
      internet: false,
      labels: {},
    });
    const { cuts, opens } = effect({
      ...{ kind: 'subnet', address: at('subnet', 'core.near'), documents: [], cause: 'rollout', verb: 'update' },
      ...{ desired, observed, changes: [{ field: 'internet', from: true, to: false }], effect: 'in-place' },
    });
    assert.deepEqual(cuts.map(short), ['tcp 443: 0.0.0.0/0 > web-0 (1 of 1)', 'all: web-0 (1 of 1) > 0.0.0.0/0']);
    assert.deepEqual(opens, []);
  });
});

describe('effects of several scopes', () => {
  test('the most dangerous comes first, in any scope; changed rules are named as the cause', () => {
    const inside = effectOn(aws, ['+sql: tcp 5432 from web to db']);
    const world = effectOn(gcp, ['+ssh: tcp 22 from 0.0.0.0/0 to web']);
    const joined = joinEffects([inside, world]);
    assert.deepEqual(joined.opens.map(short), [
      'tcp 22: 0.0.0.0/0 > core-web (1 of 2)',
      'tcp 22: all > core-web',
      'tcp 5432: core.web > core.db',
    ]);
    assert.deepEqual(
      joined.opens.map(({ by }) => by),
      [[at('firewall-rule', 'core.ssh')], [at('firewall-rule', 'core.ssh')], [at('firewall-rule', 'core.sql')]],
    );
    assert.deepEqual(
      joined.opens.map(({ from }) => from.kind === 'block' && from.isAnyone),
      [true, false, false],
    );
  });

  test('where instances were not listed nobody can say that a rule applies to none', () => {
    const gap = { kind: 'instance', code: 'Throttled', reason: 'too many calls' } as const;
    const { idle, gaps } = effectOn({ ...aws, machines: [] }, ['+ssh: tcp 22 from 0.0.0.0/0 to web'], [gap]);
    assert.deepEqual([idle, gaps], [[], ['instance was not listed completely: too many calls']]);
  });

  test('a list of the cloud is named as the reason of a doubt', () => {
    const { unknown } = effectOn(aws, ['+list: tcp 22 from prefix-list:pl-0a1 to web']);
    assert.deepEqual(unknown[0]?.reasons, ['Setpoint cannot tell all that rule core.list is about']);
  });
});
