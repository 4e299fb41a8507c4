import type { Cloud } from '../../../src/core/resource.ts';

/** Documents, and who then reaches whom. The same on every cloud that can say them. */
export interface Scenario {
  readonly name: string;
  /** Absent: all. */
  readonly clouds?: readonly Cloud[];
  readonly network?: { readonly internet?: boolean; readonly default?: Default };
  readonly rules?: readonly Rule[];
  readonly questions: readonly Question[];
}

interface Default {
  readonly ingress: 'allow' | 'deny';
  readonly egress: 'allow' | 'deny';
}

/** A rule's spec; its network is always the one. */
export type Rule = Readonly<Record<string, unknown>> & { readonly peers: Readonly<Record<string, unknown>> };

/**
 * `web > db tcp 5432`, and whether it gets there. Machines: `web` (group web, a public address), `db` (group db), `lone` (no
 * group), and `far` (group web, in the other subnet); `internet` is anybody outside.
 */
export type Question = readonly [way: string, reaches: boolean];

const web443: Rule = { protocol: 'tcp', ports: [443], group: 'web', peers: { cidrs: ['0.0.0.0/0'] } };
const dbFromWeb: Rule = { protocol: 'tcp', ports: [5432], group: 'db', peers: { groups: ['web'] } };
const closed: Default = { ingress: 'deny', egress: 'deny' };
const priorities: readonly Cloud[] = ['gcp', 'azure'];

export const scenarios: readonly Scenario[] = [
  {
    name: 'by default nothing comes in, and everything goes out',
    questions: [
      ['internet > web tcp 443', false],
      ['web > db tcp 5432', false],
      ['web > far tcp 22', false],
      ['web > internet tcp 443', true],
    ],
  },
  {
    name: 'only a public address leads out, and in',
    rules: [{ protocol: 'tcp', ports: [443], peers: { cidrs: ['0.0.0.0/0'] } }],
    questions: [
      ['db > internet tcp 443', false],
      ['internet > db tcp 443', false],
      ['internet > web tcp 443', true],
      ['lone > db tcp 443', true],
    ],
  },
  {
    name: 'a port is opened to the world for one group',
    rules: [web443],
    questions: [
      ['internet > web tcp 443', true],
      ['internet > web tcp 444', false],
      ['internet > web udp 443', false],
      ['db > web tcp 443', true],
      ['web > db tcp 443', false],
      ['db > far tcp 443', true],
    ],
  },
  {
    name: 'one group reaches another, one way, on one port',
    rules: [dbFromWeb],
    questions: [
      ['web > db tcp 5432', true],
      ['far > db tcp 5432', true],
      ['lone > db tcp 5432', false],
      ['db > web tcp 5432', false],
      ['web > db tcp 5433', false],
      ['internet > db tcp 5432', false],
    ],
  },
  {
    name: 'a rule without a group is for every machine of ours',
    rules: [{ protocol: 'tcp', ports: [22], peers: { cidrs: ['10.20.2.0/24'] } }],
    questions: [
      ['far > web tcp 22', true],
      ['far > lone tcp 22', true],
      ['web > lone tcp 22', false],
      ['internet > web tcp 22', false],
    ],
  },
  {
    name: 'ranges and lists of ports, and another protocol',
    rules: [
      { protocol: 'tcp', ports: [80, '8000-8100'], group: 'web', peers: { groups: ['db'] } },
      { protocol: 'udp', ports: [53], group: 'web', peers: { groups: ['db'] } },
    ],
    questions: [
      ['db > web tcp 80', true],
      ['db > web tcp 8050', true],
      ['db > web tcp 8101', false],
      ['db > web udp 53', true],
      ['db > web tcp 53', false],
    ],
  },
  {
    name: 'several protocols in one document',
    rules: [
      {
        protocols: [
          { protocol: 'tcp', ports: [80, 443] },
          { protocol: 'udp', ports: [53] },
        ],
        group: 'web',
        peers: { groups: ['db'] },
      },
    ],
    questions: [
      ['db > web tcp 80', true],
      ['db > far tcp 443', true],
      ['db > web udp 53', true],
      ['db > web tcp 53', false],
      ['db > web udp 80', false],
      ['lone > web tcp 80', false],
    ],
  },
  {
    name: 'one rule for several groups',
    rules: [{ protocol: 'tcp', ports: [22], appliesTo: { groups: ['web', 'db'] }, peers: { cidrs: ['10.20.1.0/24'] } }],
    questions: [
      ['lone > web tcp 22', true],
      ['lone > db tcp 22', true],
      ['lone > far tcp 22', true],
      ['web > lone tcp 22', false],
      ['far > db tcp 22', false],
    ],
  },
  {
    name: 'a rule for the whole network',
    clouds: priorities,
    rules: [{ protocol: 'tcp', ports: [22], appliesTo: { network: true }, peers: { groups: ['web'] } }],
    questions: [
      ['web > db tcp 22', true],
      ['far > lone tcp 22', true],
      ['db > web tcp 22', false],
      ['internet > web tcp 22', false],
    ],
  },
  {
    name: 'a rule for a subnet, and one for a block of addresses',
    clouds: priorities,
    rules: [
      { protocol: 'tcp', ports: [22], appliesTo: { subnets: ['far'] }, peers: { groups: ['db'] } },
      { protocol: 'tcp', ports: [23], appliesTo: { cidrs: ['10.20.1.0/24'] }, peers: { groups: ['db'] } },
    ],
    questions: [
      ['db > far tcp 22', true],
      ['db > web tcp 22', false],
      ['db > web tcp 23', true],
      ['db > lone tcp 23', true],
      ['db > far tcp 23', false],
      ['lone > far tcp 22', false],
    ],
  },
  {
    name: 'a denial for the whole network outranks a permission for a group',
    clouds: priorities,
    rules: [
      {
        protocol: 'tcp',
        ports: [5432],
        action: 'deny',
        appliesTo: { network: true },
        peers: { cidrs: ['10.20.2.0/24'] },
        priority: 200,
      },
      { ...dbFromWeb, priority: 300 },
    ],
    questions: [
      ['web > db tcp 5432', true],
      ['far > db tcp 5432', false],
    ],
  },
  {
    name: 'ports of every protocol',
    clouds: ['azure'],
    rules: [{ protocol: 'all', ports: [53, '88-90'], group: 'db', peers: { groups: ['web'] } }],
    questions: [
      ['web > db tcp 53', true],
      ['web > db udp 89', true],
      ['web > db tcp 91', false],
      ['lone > db udp 53', false],
    ],
  },
  {
    name: 'every protocol from one block',
    rules: [{ protocol: 'all', group: 'db', peers: { cidrs: ['10.20.1.0/24'] } }],
    questions: [
      ['web > db tcp 1', true],
      ['lone > db udp 65000', true],
      ['far > db tcp 1', false],
    ],
  },
  {
    name: 'ingress allowed by default: everybody gets in',
    network: { default: { ingress: 'allow', egress: 'allow' } },
    questions: [
      ['internet > web tcp 22', true],
      ['web > db udp 9', true],
      ['internet > db tcp 22', false],
    ],
  },
  {
    name: 'egress denied by default: nobody gets out, and what comes in is answered',
    network: { default: closed },
    rules: [web443, dbFromWeb],
    questions: [
      ['web > internet tcp 443', false],
      ['web > db tcp 5432', false],
      ['internet > web tcp 443', true],
    ],
  },
  {
    name: 'egress denied by default, and one way opened',
    network: { default: closed },
    rules: [
      dbFromWeb,
      { direction: 'egress', protocol: 'tcp', ports: [5432], group: 'web', peers: { cidrs: ['10.20.0.0/16'] } },
    ],
    questions: [
      ['web > db tcp 5432', true],
      ['far > db tcp 5432', true],
      ['web > db tcp 5433', false],
      ['db > web tcp 5432', false],
      ['web > internet tcp 5432', false],
    ],
  },
  {
    name: 'egress to a group',
    clouds: ['aws', 'azure', 'memory'],
    network: { default: closed },
    rules: [
      dbFromWeb,
      { direction: 'egress', protocol: 'tcp', ports: [5432], group: 'web', peers: { groups: ['db'] } },
    ],
    questions: [
      ['web > db tcp 5432', true],
      ['web > lone tcp 5432', false],
      ['lone > db tcp 5432', false],
    ],
  },
  {
    name: 'a network without internet: nothing goes out of it, and inside it works',
    network: { internet: false },
    rules: [dbFromWeb],
    questions: [
      ['web > internet tcp 443', false],
      ['internet > web tcp 443', false],
      ['web > db tcp 5432', true],
    ],
  },
  {
    name: 'a deny before an allow',
    clouds: priorities,
    rules: [
      { protocol: 'all', group: 'db', peers: { cidrs: ['10.20.0.0/16'] }, priority: 2000 },
      { action: 'deny', protocol: 'tcp', ports: [22], group: 'db', peers: { cidrs: ['10.20.1.0/24'] }, priority: 1000 },
    ],
    questions: [
      ['web > db tcp 22', false],
      ['far > db tcp 22', true],
      ['web > db tcp 23', true],
    ],
  },
  {
    name: 'an allow before a deny',
    clouds: priorities,
    rules: [
      { action: 'deny', protocol: 'all', group: 'db', peers: { cidrs: ['10.20.0.0/16'] }, priority: 2000 },
      { protocol: 'tcp', ports: [22], group: 'db', peers: { groups: ['web'] }, priority: 1000 },
    ],
    questions: [
      ['web > db tcp 22', true],
      ['lone > db tcp 22', false],
      ['web > db tcp 23', false],
    ],
  },
  {
    name: 'a deny and an allow of one priority: the deny decides',
    clouds: priorities,
    rules: [
      { protocol: 'tcp', ports: [22], group: 'db', peers: { cidrs: ['10.20.0.0/16'] }, priority: 1000 },
      { action: 'deny', protocol: 'tcp', ports: [22], group: 'db', peers: { cidrs: ['10.20.1.0/24'] }, priority: 1000 },
    ],
    questions: [
      ['web > db tcp 22', false],
      ['far > db tcp 22', true],
    ],
  },
  {
    name: 'an egress deny for one group',
    clouds: priorities,
    rules: [
      {
        direction: 'egress',
        action: 'deny',
        protocol: 'tcp',
        ports: [25],
        group: 'web',
        peers: { any: true },
        priority: 1000,
      },
    ],
    questions: [
      ['web > internet tcp 25', false],
      ['web > internet tcp 443', true],
    ],
  },
];
