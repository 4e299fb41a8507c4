import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reach } from '../../../src/core/effect/reach.ts';
import { endIn, servicesFrom } from '../../../src/core/effect/reach-ends.ts';
import { observedState } from '../../../src/core/effect/state.ts';
import { servicesJson, servicesText } from '../../../src/core/render/effect.ts';
import { type EstateDraft, inputOf, type MachineDraft, reachIn } from './estate.ts';

const web: MachineDraft = { name: 'web-0', groups: ['all', 'web'], publicIp: true, ip: '10.0.1.5' };
const web1: MachineDraft = { name: 'web-1', groups: ['all', 'web'], ip: '10.0.1.6' };
const db: MachineDraft = { name: 'db-0', groups: ['all', 'db'], subnet: 'far', ip: '10.0.2.5' };
const out = { name: 'out', text: 'all to 0.0.0.0/0 of all' };
const sql = { name: 'sql', text: 'tcp 5432 from web to db' };
const ssh = { name: 'ssh', text: 'tcp 22 from 203.0.113.0/24 to web' };

const aws: EstateDraft = { cloud: 'aws', machines: [web, web1, db], rules: [out, sql, ssh] };
const gcp: EstateDraft = { ...aws, cloud: 'gcp', rules: [sql, ssh], network: { settings: { natGateways: [] } } };
const azure: EstateDraft = {
  ...aws,
  cloud: 'azure',
  rules: [
    { name: 'close', text: 'deny all from service-tag:VirtualNetwork to everyone @ 4096' },
    { name: 'sql', text: 'tcp 5432 from web to db @ 200' },
    { name: 'ssh', text: 'tcp 22 from 203.0.113.0/24 to web @ 210' },
  ],
};

function ask(estate: EstateDraft, question: string): Reach {
  const state = observedState(inputOf(estate));
  const [from = '', to = '', port] = question.split(' ');
  const [sender, receiver] = [endIn(state, from), endIn(state, to)];
  assert.ok(sender && receiver, `${from} and ${to} are called so`);
  const services = port === undefined ? undefined : servicesFrom(port);
  return reachIn(state, { from: sender, to: receiver, ...(services === undefined ? {} : { services }) });
}

interface Row {
  readonly name: string;
  readonly estate: EstateDraft;
  readonly question: string;
  readonly answer: Reach['answer'];
  /** The reasons of the first way. */
  readonly reasons: readonly (string | RegExp)[];
}

const subnet = (routes: readonly { destination: string; nextHop: string }[]): EstateDraft['subnets'] => ({
  near: { settings: { routes } },
});

const rows: readonly Row[] = [
  {
    name: 'AWS: both ends allow it, by these rules',
    estate: aws,
    question: 'core.web core.db 5432',
    answer: 'yes',
    reasons: ['egress of web-0 to db-0 is allowed by core.out', 'ingress of db-0 from web-0 is allowed by core.sql'],
  },
  {
    name: 'AWS: no rule of the receiver allows it',
    estate: aws,
    question: 'db-0 web-0 5432',
    answer: 'no',
    reasons: [/^egress of db-0 to web-0 is allowed/, 'no ingress rule of web-0 allows it from db-0'],
  },
  {
    name: 'AWS: no rule of the sender allows it',
    estate: { ...aws, rules: [sql] },
    question: 'web-0 db-0 5432',
    answer: 'no',
    reasons: ['no egress rule of web-0 allows it to db-0', /^ingress of db-0/],
  },
  {
    name: 'AWS: a machine without a public address is not reached from outside',
    estate: aws,
    question: '203.0.113.7 web-1 22',
    answer: 'no',
    reasons: ['web-1 has no public address', /^ingress of web-1 from 203\.0\.113\.7\/32 is allowed by core\.ssh/],
  },
  {
    name: 'AWS: without a route to the internet nobody outside reaches it',
    estate: { ...aws, internet: false },
    question: '203.0.113.7 web-0 22',
    answer: 'no',
    reasons: ['subnet core.near has no route to the internet', /allowed by core\.ssh/],
  },
  {
    name: 'AWS: a network ACL between two subnets leaves unknown what the rules allow',
    estate: { ...aws, outer: { far: { filters: ['network ACL acl-1'] } } },
    question: 'web-0 db-0 5432',
    answer: 'unknown',
    reasons: [
      /^egress of web-0 to db-0 is allowed by core\.out/,
      'network ACL acl-1 may decide in subnet core.far, which Setpoint does not evaluate',
    ],
  },
  {
    name: 'AWS: nor does anybody know it where the listing failed',
    estate: { ...aws, outer: { near: { unlisted: ['network ACLs were not listed: Denied: no permission'] } } },
    question: 'web-0 db-0 5432',
    answer: 'unknown',
    reasons: [
      'the network ACL of subnet core.near is not known: network ACLs were not listed: Denied: no permission',
      /^ingress of db-0/,
    ],
  },
  {
    name: 'AWS: or told nothing of the subnet',
    estate: { ...aws, outer: { near: undefined } },
    question: '203.0.113.7 web-0 22',
    answer: 'unknown',
    reasons: [/^a public address/, 'the network ACL of subnet core.near is not known'],
  },
  {
    name: 'AWS: a network ACL allows nothing that the rules do not',
    estate: { ...aws, outer: { far: { filters: ['network ACL acl-1'] } } },
    question: 'db-0 web-0 5432',
    answer: 'no',
    reasons: [/network ACL acl-1 may decide in subnet core\.far/, 'no ingress rule of web-0 allows it from db-0'],
  },
  {
    name: 'AWS: inside of its subnet it decides nothing',
    estate: {
      ...{ ...aws, rules: [out, { name: 'in', text: 'tcp 80 from web to web' }] },
      outer: { near: { filters: ['network ACL acl-1'] } },
    },
    question: 'web-0 web-1 80',
    answer: 'yes',
    reasons: [/^egress of web-0 to web-1 is allowed by core\.out/, /^ingress of web-1 .* allowed by core\.in/],
  },
  {
    name: 'AWS: there its absence is not named beside another doubt',
    estate: {
      ...{ ...aws, rules: [out, { name: 'list', text: 'tcp 80 from prefix-list:pl-1 to web' }] },
      outer: { near: { filters: ['network ACL acl-1'] } },
    },
    question: 'web-0 web-1 80',
    answer: 'unknown',
    reasons: [/^egress of web-0/, 'Setpoint cannot tell all that rule core.list is about'],
  },
  {
    name: 'AWS: a NAT gateway leads out, and not in',
    estate: { ...aws, subnets: subnet([{ destination: '0.0.0.0/0', nextHop: 'nat-1' }]) },
    question: 'web-0 internet 443',
    answer: 'yes',
    reasons: [/^a route leads to a NAT gateway/, /allowed by core\.out/],
  },
  {
    name: 'AWS: a NAT gateway lets nobody in',
    estate: { ...aws, subnets: subnet([{ destination: '0.0.0.0/0', nextHop: 'nat-1' }]) },
    question: '203.0.113.7 web-0 22',
    answer: 'no',
    reasons: [/leads to a NAT gateway/, /core\.ssh/],
  },
  {
    name: 'AWS: a route to another gateway may lead anywhere',
    estate: { ...aws, subnets: subnet([{ destination: '0.0.0.0/0', nextHop: 'tgw-1' }]) },
    question: '203.0.113.7 web-0 22',
    answer: 'unknown',
    reasons: [/leads elsewhere/, /core\.ssh/],
  },
  {
    name: 'AWS: an endpoint of a service takes nothing from the internet gateway',
    estate: {
      ...aws,
      subnets: subnet([
        { destination: '0.0.0.0/0', nextHop: 'igw-1' },
        { destination: 'pl-1', nextHop: 'vpce-1' },
        { destination: '198.51.100.0/24', nextHop: 'pcx-1' },
      ]),
    },
    question: '203.0.113.7 web-0 22',
    answer: 'yes',
    reasons: [/^a public address/, /core\.ssh/],
  },
  {
    name: 'AWS: nor does it without a rule for one address alone',
    estate: {
      ...aws,
      rules: [out, { name: 'web', text: 'tcp 443 from 0.0.0.0/0 to web' }],
      subnets: subnet([
        { destination: '0.0.0.0/0', nextHop: 'igw-1' },
        { destination: 'pl-1', nextHop: 'vpce-1' },
        { destination: '198.51.100.0/24', nextHop: 'pcx-1' },
      ]),
    },
    question: 'internet web-0 443',
    answer: 'yes',
    reasons: [/^a public address/, /core\.web/],
  },
  {
    name: 'AWS: an endpoint of a service is no way in',
    estate: {
      ...aws,
      rules: [out, { name: 'web', text: 'tcp 443 from 0.0.0.0/0 to web' }],
      subnets: subnet([{ destination: 'pl-1', nextHop: 'vpce-1' }]),
    },
    question: 'internet web-0 443',
    answer: 'no',
    reasons: ['subnet core.near has no route to the internet', /core\.web/],
  },
  {
    name: 'AWS: part of the internet may come in another way where the gateway takes none',
    estate: { ...aws, subnets: subnet([{ destination: '203.0.113.0/28', nextHop: 'igw-1' }]) },
    question: '203.0.113.0/24 web-0 22',
    answer: 'unknown',
    reasons: [/leads elsewhere/, /core\.ssh/],
  },
  {
    name: 'a further interface of one machine is a doubt about that machine, and not about others of its class',
    estate: { ...aws, machines: [web, db, { ...db, name: 'db-1', interfaces: ['eni-2'] }] },
    question: 'core.web core.db 22',
    answer: 'unknown',
    reasons: [/core\.out/, /^no ingress rule of db-1/, /further interfaces/],
  },
  {
    name: 'AWS: a further interface may let more in',
    estate: { ...aws, machines: [web, { ...db, interfaces: ['eni-2'] }] },
    question: 'web-0 db-0 22',
    answer: 'unknown',
    reasons: [
      /^egress/,
      /^no ingress/,
      'db-0 has further interfaces or addresses, which Setpoint does not evaluate: eni-2',
    ],
  },
  {
    name: 'AWS: and yet what the first lets in is certain',
    estate: { ...aws, machines: [web, { ...db, interfaces: ['eni-2'] }] },
    question: 'web-0 db-0 5432',
    answer: 'yes',
    reasons: [/core\.out/, /core\.sql/, /further interfaces/],
  },
  {
    name: 'AWS: a list of the cloud may hold the address',
    estate: { ...aws, rules: [out, { name: 'list', text: 'tcp 22 from prefix-list:pl-1 to web' }] },
    question: '198.51.100.7 web-0 22',
    answer: 'unknown',
    reasons: [/^a public address/, 'Setpoint cannot tell all that rule core.list is about'],
  },
  {
    name: 'Google Cloud: a rule that denies is named, and what it outranks is not',
    estate: { ...gcp, rules: [sql, { name: 'no', text: 'deny tcp 5000-6000 from 10.0.1.5/32 to everyone @ 500' }] },
    question: 'web-0 db-0 5432',
    answer: 'no',
    reasons: [/by default, as no rule denies it/, 'core.no denies it from web-0 (ingress rule of db-0)'],
  },
  {
    name: 'Google Cloud: a NAT that nobody listed may lead out',
    estate: { ...gcp, network: {} },
    question: 'db-0 internet 443',
    answer: 'unknown',
    reasons: [/a Cloud NAT may lead it/, /by default/],
  },
  {
    name: 'Google Cloud: without a NAT nothing leads out',
    estate: gcp,
    question: 'db-0 internet 443',
    answer: 'no',
    reasons: ['db-0 has no public address', /by default/],
  },
  {
    name: 'Google Cloud: a route of a tag is for machines with it',
    estate: {
      ...gcp,
      internet: false,
      network: {
        settings: {
          natGateways: [],
          routes: [{ destination: '0.0.0.0/0', nextHop: 'default-internet-gateway', tags: ['core-web'] }],
        },
      },
    },
    question: '203.0.113.7 web-0 22',
    answer: 'yes',
    reasons: [/^a public address/, /core\.ssh/],
  },
  {
    name: 'Google Cloud: a firewall policy may decide otherwise',
    estate: { ...gcp, outer: { near: { filters: ['firewall policy base'] } } },
    question: 'db-0 web-0 22',
    answer: 'unknown',
    reasons: [
      /^egress of db-0/,
      'firewall policy base may decide in subnet core.near, which Setpoint does not evaluate',
    ],
  },
  {
    name: 'Google Cloud: it also decides inside of a subnet, and on what the rules allow',
    estate: {
      ...{ ...gcp, rules: [{ name: 'in', text: 'tcp 80 from web to web' }] },
      outer: { near: { filters: ['firewall policy base'] } },
    },
    question: 'web-0 web-1 80',
    answer: 'unknown',
    reasons: [/firewall policy base/, /firewall policy base/],
  },
  {
    name: 'Google Cloud: policies that nobody may list decide, too',
    estate: { ...gcp, outer: { near: { unlisted: ['firewall policies were not listed: forbidden: no permission'] } } },
    question: 'internet web-0 443',
    answer: 'unknown',
    reasons: [
      /^a public address/,
      'the firewall policies of subnet core.near are not known: firewall policies were not listed: forbidden: no permission',
    ],
  },
  {
    name: 'Google Cloud: none decides, and so a no is certain',
    estate: gcp,
    question: 'internet web-0 443',
    answer: 'no',
    reasons: [/^a public address/, 'no ingress rule of web-0 allows it from 0.0.0.0/0'],
  },
  {
    name: 'Azure: a security admin rule may decide otherwise, also inside of the subnet',
    estate: { ...azure, outer: { near: { filters: ['security admin rule no-ssh'] } } },
    question: 'web-1 web-0 22',
    answer: 'unknown',
    reasons: [/security admin rule no-ssh may decide in subnet core\.near/, /security admin rule no-ssh/],
  },
  {
    name: 'Azure: the default rules allow, and the rule that closes the network denies',
    estate: azure,
    question: 'db-0 web-0 22',
    answer: 'no',
    reasons: [/the default rule AllowVnetOutBound/, 'core.close denies it from db-0 (ingress rule of web-0)'],
  },
  {
    name: 'Azure: a subnet of Setpoint has no address of its own for the way out',
    estate: azure,
    question: 'db-0 internet 443',
    answer: 'no',
    reasons: [/has no default outbound access/, /AllowInternetOutBound/],
  },
  {
    name: 'Azure: a NAT gateway leads out',
    estate: { ...azure, subnets: { far: { settings: { routes: [], natGateway: 'out' } } } },
    question: 'db-0 internet 443',
    answer: 'yes',
    reasons: ['the NAT gateway of subnet core.far', /AllowInternetOutBound/],
  },
  {
    name: 'Azure: routes of people may lead anywhere',
    estate: { ...azure, subnets: { near: { settings: {} } } },
    question: '203.0.113.7 web-0 22',
    answer: 'unknown',
    reasons: [/the routes of subnet core\.near/, /core\.ssh/],
  },
  {
    name: 'Azure: without any security group a public address may be open or closed',
    estate: {
      ...azure,
      machines: [{ ...web, filters: [] }],
      subnets: { near: { filter: false } },
    },
    question: '203.0.113.7 web-0 22',
    answer: 'unknown',
    reasons: [/no security group is on web-0/, /the security group of subnet core\.near is not known/],
  },
];

describe('reach', () => {
  for (const { name, estate, question, answer, reasons } of rows) {
    test(name, () => {
      const reach = ask(estate, question);
      assert.equal(reach.answer, answer);
      const told = reach.ways[0]?.steps.map(({ reason }) => reason) ?? [];
      assert.equal(told.length, reasons.length, told.join('\n'));
      for (const [at, want] of reasons.entries()) {
        if (typeof want === 'string') assert.equal(told[at], want);
        else assert.match(told[at] ?? '', want);
      }
    });
  }

  test('without a port it tells all that is open, for each kind of machine and each part of the world', () => {
    const estate = { ...aws, rules: [...aws.rules, { name: 'https', text: 'tcp 443 from 0.0.0.0/0 to web' }] };
    const { ways } = ask(estate, 'internet core.web');
    assert.deepEqual(
      ways.map(({ answer, from, to, open }) => [answer, ...from, '>', ...to, servicesText(open.map(servicesJson))]),
      [
        ['yes', 'internet', '>', 'web-0', '443/tcp'],
        ['yes', '203.0.113.0/24', '>', 'web-0', '22/tcp, 443/tcp'],
        ['no', 'internet', '>', 'web-1', ''],
      ],
    );
  });

  test('where the network has IPv6 the internet may come by it: that is unknown, and no no', () => {
    const { answer, ways } = ask(
      { ...aws, v6: 'near', rules: [out, { name: 'six', text: 'tcp 22 from ::/0 to web' }] },
      'internet web-0 22',
    );
    assert.equal(answer, 'unknown');
    assert.deepEqual(
      ways.map((way) => [way.answer, ...way.from]),
      [
        ['unknown', 'internet by IPv6'],
        ['no', 'internet'],
      ],
    );
  });

  test('a further address of an interface may be let in where its first is not', () => {
    const more = { ...db, addresses: 'has the secondary private addresses 10.0.2.9' };
    const { answer, ways } = ask({ ...azure, machines: [web, more] }, 'web-0 db-0 22');
    assert.equal(answer, 'unknown');
    assert.match(ways[0]?.steps.at(-1)?.reason ?? '', /further interfaces or addresses.*10\.0\.2\.9$/);
  });

  test('a rule that decides is named with its document', () => {
    const input = inputOf(aws);
    const wanted = { address: 'aws/1/eu-1/firewall-rule/core.sql', file: 'net.yaml', line: 7 };
    const state = observedState({
      ...input,
      wanted: {
        ...input.wanted,
        desired: [
          {
            ...{ kind: 'firewall-rule', address: wanted.address, name: 'sql', documents: [wanted] },
            attributes: {
              network: '',
              match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '1', peers: [] },
              description: '',
            },
            terms: { mode: 'plan', protect: false, deletionPolicy: 'delete' },
          },
        ],
      },
    });
    const [from, to] = [endIn(state, 'web-0'), endIn(state, 'db-0')];
    assert.ok(from && to);
    assert.deepEqual(reachIn(state, { from, to }).ways[0]?.steps[1]?.rules, [
      { ref: wanted.address, name: 'core.sql', action: 'allow', document: wanted },
    ]);
  });

  test('assumptions depend on the cloud, the answer and the ends; a stopped machine is noted', () => {
    assert.deepEqual(ask(aws, 'web-0 db-0 5432').assumptions, []);
    assert.deepEqual(ask(aws, 'db-0 web-0 5432').assumptions, []);
    assert.deepEqual(ask(aws, 'internet db-0 22').assumptions, ['no load balancer forwards it']);
    assert.deepEqual(ask(gcp, 'web-0 db-0 5432').assumptions, []);
    assert.deepEqual(ask(azure, 'web-0 db-0 5432').assumptions, []);
    const stopped = { ...aws, machines: [web, { ...db, isStopped: true }] };
    assert.deepEqual(ask(stopped, 'web-0 db-0 5432').notes, ['db-0 is stopped: nothing answers there now']);
  });
});

describe('the ends of a question', () => {
  const state = observedState(inputOf(aws));
  const named = (word: string): readonly string[] | undefined => {
    const end = endIn(state, word);
    return end?.kind === 'machines' ? end.machines.map(({ name }) => name) : undefined;
  };
  for (const [word, machines] of [
    ['web-0', ['web-0']],
    ['aws/1/eu-1/instance/db-0', ['db-0']],
    ['instance:db-0', ['db-0']],
    ['core.web', ['web-0', 'web-1']],
    ['group:core.db', ['db-0']],
    ['core.near', ['web-0', 'web-1']],
    ['subnet:core.far', ['db-0']],
    ['subnet-far', ['db-0']],
    ['core', ['db-0', 'web-0', 'web-1']],
    ['network:core', ['db-0', 'web-0', 'web-1']],
    ['web', ['web-0', 'web-1']],
    ['10.0.2.0/24', ['db-0']],
    ['group:core.near', undefined],
    ['198.51.100.0/24', undefined],
    ['nothing', undefined],
  ] as const)
    test(`${word} is ${machines?.join(', ') ?? 'no machine'}`, () => assert.deepEqual(named(word), machines));

  test('a group of Google Cloud is called as its tag, or as in specs', () => {
    const google = observedState(inputOf(gcp));
    for (const word of ['core.web', 'tag:core-web']) assert.equal(endIn(google, word)?.kind, 'machines');
  });

  test('the internet is the world, and a block outside is itself', () => {
    assert.deepEqual(endIn(state, 'internet'), {
      kind: 'block',
      block: { family: 4, base: 0n, prefix: 0 },
      isInternet: true,
    });
    assert.equal(endIn(state, '198.51.100.7')?.kind, 'block');
    assert.equal(endIn(state, 'nothing'), undefined);
  });

  for (const [text, want] of [
    ['5432', '5432/tcp'],
    ['53/udp', '53/udp'],
    ['8000-8100', '8000-8100/tcp'],
    ['icmp', 'all icmp'],
    ['tcp', 'all tcp'],
    ['70000', undefined],
    ['22/icmp', undefined],
    ['1/tcp/2', undefined],
    ['ssh', undefined],
  ] as const)
    test(`the port ${text} is ${want ?? 'none'}`, () => {
      const services = servicesFrom(text);
      const [protocol, ranges] = [...(services?.named ?? [])][0] ?? [];
      const got =
        protocol === undefined || ranges === undefined
          ? undefined
          : servicesText([servicesJson({ protocol, ...(ranges[0]?.to === 65_535 ? {} : { ports: ranges }) })]);
      assert.equal(got, want);
    });
});

describe('machines of two networks', () => {
  const other = { name: 'far-0', groups: ['all', 'db'], subnet: 'other', ip: '10.9.0.5', publicIp: true };
  const estate = (nextHop: string | undefined): EstateDraft => ({
    ...aws,
    machines: [web, other],
    cidrs: { near: '10.0.1.0/24', other: '10.9.0.0/24' },
    subnets: {
      other: { network: 'vpc-other' },
      near: {
        settings: {
          routes: [
            { destination: '0.0.0.0/0', nextHop: 'igw-1' },
            ...(nextHop === undefined ? [] : [{ destination: '10.9.0.0/16', nextHop }]),
          ],
        },
      },
    },
  });

  test('a peering between them is not evaluated', () => {
    const { answer, ways } = ask(estate('pcx-1'), 'web-0 far-0 5432');
    assert.equal(answer, 'unknown');
    assert.match(ways[0]?.steps[0]?.reason ?? '', /different networks: Setpoint does not evaluate peerings/);
  });

  test('without a route between them only public addresses lead across, and their holders are unknown', () => {
    const { answer, ways } = ask(estate(undefined), 'web-0 far-0 5432');
    assert.equal(answer, 'unknown');
    assert.match(ways[0]?.steps[0]?.reason ?? '', /no route leads from web-0 to far-0/);
  });

  test('without a public address either there is no way', () => {
    const hidden = { ...estate(undefined), machines: [web, { ...other, publicIp: false }] };
    assert.equal(ask(hidden, 'web-0 far-0 5432').answer, 'no');
  });
});
