import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aws } from '../../providers/aws/index.ts';
import { azure } from '../../providers/azure/index.ts';
import { gcp } from '../../providers/gcp/index.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import type { Converged } from '../../src/engine/converge.ts';
import * as awsAt from '../support/aws-session.ts';
import * as azureAt from '../support/azure-session.ts';
import { access, machineIn, network, rule } from '../support/engine-world/documents.ts';
import { engineWorld } from '../support/engine-world/engine-world.ts';
import * as gcpAt from '../support/gcp-session.ts';
import { smallWorld } from '../support/small-world.ts';

type Cloud = 'aws' | 'gcp' | 'azure' | 'memory';
const everywhere: readonly Cloud[] = ['aws', 'gcp', 'azure', 'memory'];

/** The fields of a kind's attributes, down to values: `order.priority`. */
type Leaf<T> = {
  [F in keyof T & string]-?: NonNullable<T[F]> extends readonly unknown[] | string | number | boolean
    ? F
    : string extends keyof NonNullable<T[F]>
      ? F
      : `${F}.${Leaf<NonNullable<T[F]>>}`;
}[keyof T & string];

/** A value of the spec, and how the cloud shows it: just so, if it is left out. */
interface Value {
  /** Of the document; of `metadata` where it is said there. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly want: unknown;
  readonly on?: readonly Cloud[];
}

const each = (field: string, values: readonly unknown[], on = everywhere): readonly Value[] =>
  values.map((value) => ({ spec: { [field]: value }, want: value, on }));

const labelled: readonly Value[] = [
  { metadata: { labels: { tier: '' } }, want: { tier: '' } },
  { metadata: { labels: {} }, want: {} },
];
const unwritten = 'only of adopted ones, which this test has none of: see settings.test.ts';
const byContent: readonly Cloud[] = ['aws', 'memory'];

/**
 * The smallest, the largest and the falsy values of every field, or the reason why nobody writes them. A field that is not
 * here does not compile.
 */
const values: { readonly [K in Kind]: Readonly<Record<Leaf<Attributes[K]>, readonly Value[] | string>> } = {
  network: {
    cidr: each('cidr', ['10.64.0.0/16', '10.65.255.240/28'], byContent),
    internet: each('internet', [true, false], ['aws', 'gcp', 'memory']),
    filter: 'made by Setpoint with every network of Azure, and written by nobody',
    'settings.secondaryCidrs': unwritten,
    'settings.ipv6Cidrs': unwritten,
    'settings.routes': unwritten,
    'settings.natGateways': unwritten,
    'settings.peerings': unwritten,
    labels: labelled.map((one) => ({ ...one, on: ['aws', 'azure', 'memory'] })),
  },
  subnet: {
    network: 'the Ref of what holds it',
    cidr: 'said in its network, whose own blocks are tried',
    zone: 'a name',
    internet: 'follows its network',
    filter: 'made by Setpoint with every subnet of Azure',
    'settings.secondaryCidrs': unwritten,
    'settings.ipv6Cidrs': unwritten,
    'settings.secondaryRanges': unwritten,
    'settings.privateGoogleAccess': unwritten,
    'settings.publicIpOnLaunch': unwritten,
    'settings.routes': unwritten,
    'settings.natGateway': unwritten,
    labels: 'follow its network',
  },
  group: {
    network: 'the Ref of what holds it',
    defaultEgress: 'spoken at creation, and compared as a rule afterwards',
    description: 'fixed at creation: another one is blocked',
    labels: 'written as those of a network are',
  },
  'firewall-rule': {
    network: 'the Ref of what holds it',
    group: 'the Ref of what holds it',
    'match.direction': each('direction', ['ingress', 'egress'], ['aws', 'azure', 'memory']),
    'match.action': each('action', ['allow', 'deny'], ['gcp', 'azure']),
    'match.protocol': [
      { spec: { protocol: 'all', ports: undefined }, want: 'all' },
      { spec: { protocol: '255', ports: undefined }, want: '255', on: ['aws', 'gcp', 'memory'] },
    ],
    'match.ports': [
      { spec: { ports: [0] }, want: '0' },
      { spec: { ports: [65_535] }, want: '65535' },
      { spec: { ports: ['0-1'] }, want: '0-1' },
      { spec: { ports: ['0-65535'] }, want: 'all' },
      { spec: { ports: undefined }, want: 'all' },
      { spec: { protocol: 'icmp', ports: undefined, icmp: { type: 0, code: 0 } }, want: '0/0', on: byContent },
      { spec: { protocol: 'icmp', ports: undefined, icmp: { type: 0 } }, want: '0/all', on: byContent },
      { spec: { protocol: 'icmp', ports: undefined, icmp: { type: 255, code: 255 } }, want: '255/255', on: byContent },
    ],
    'match.peers':
      'tells the rules of this test apart; the widest and the narrowest are tried in the conformance suite',
    'match.targets': 'tried in the conformance suite, the empty list too',
    description: [
      { spec: {}, want: '' },
      { spec: { description: 'd' }, want: 'd' },
      { spec: { description: '0' }, want: '0' },
      { spec: { description: 'd'.repeat(255) }, want: 'd'.repeat(255), on: ['aws', 'memory'] },
    ],
    'order.priority': each('priority', [0, 1, 65_533], ['gcp']),
    'order.disabled': each('disabled', [true, false], ['gcp']),
    'order.log': each('log', [true, false], ['gcp']),
  },
  instance: {
    'placement.subnet': 'a Ref',
    'placement.zone': 'a name',
    'placement.publicIp': each('publicIp', [true, false]),
    groups: 'holds the group of all besides; machines in none and in several are tried in the conformance suite',
    'machine.image': 'a name',
    'machine.size': 'a name',
    'machine.identity': 'a name',
    'machine.power': each('power', ['running', 'stopped']),
    'disk.size': [
      { spec: { disk: { size: 1 } }, want: 1, on: ['memory'] },
      { spec: { disk: { size: 8 } }, want: 8, on: ['aws'] },
      { spec: { disk: { size: 10 } }, want: 10, on: ['gcp'] },
      { spec: { disk: { size: 30 } }, want: 30, on: ['azure'] },
      { spec: { disk: { size: 4095 } }, want: 4095, on: ['azure'] },
      { spec: { disk: { size: 16_384 } }, want: 16_384, on: ['aws'] },
      { spec: { disk: { size: 65_536 } }, want: 65_536, on: ['gcp', 'memory'] },
    ],
    'disk.type': 'a name',
    'disk.encrypted': [
      { spec: { disk: { encrypted: true } }, want: true },
      { spec: { disk: { encrypted: false } }, want: false, on: ['aws', 'memory'] },
    ],
    'boot.userData': 'a hash',
    'boot.access': 'a hash',
    'settings.keyPair': unwritten,
    'settings.spot': unwritten,
    'settings.ipForwarding': unwritten,
    'settings.metadataTokens': unwritten,
    'settings.scopes': unwritten,
    'settings.privateIp': 'only of adopted machines, which this test has none of: see settings.test.ts',
    'settings.staticPublicIp': 'only of adopted machines, which this test has none of: see settings.test.ts',
    'settings.zone': 'only of adopted machines, which this test has none of: see settings.test.ts',
    'settings.availabilitySet': unwritten,
    'settings.bootDiagnostics': unwritten,
    'settings.dataDisks': unwritten,
    'settings.interfaces': unwritten,
    labels: labelled,
  },
};

interface Case {
  readonly kind: Kind;
  readonly field: string;
  readonly value: Value;
  readonly document: object;
  readonly isIt: (observed: Observed) => boolean;
}

/** Each cloud's names, and a way to apply documents to an empty one. */
interface Place extends AsyncDisposable {
  readonly words: Readonly<Record<string, unknown>>;
  apply(documents: readonly object[]): Promise<Converged & { readonly writes: readonly string[] }>;
}

const metadataOf = ({ metadata = {} }: Value) => metadata;

/** One document a value, told apart by its name, and rules by their peer. */
const documents: {
  readonly [K in Kind]?: (value: Value, nth: number, place: Place) => Pick<Case, 'document' | 'isIt'>;
} = {
  network: (value, nth) => ({
    document: network(
      { cidr: `10.${100 + nth}.0.0/16`, subnets: [], internet: false, ...value.spec },
      { name: `net-${nth}`, ...metadataOf(value) },
    ),
    isIt: ({ name }) => name === `net-${nth}`,
  }),
  'firewall-rule': (value, nth) => ({
    document: rule(
      `rule-${nth}`,
      { group: 'web', priority: 2000 + nth, peers: { cidrs: [`10.50.${nth}.0/24`] }, ...value.spec },
      metadataOf(value),
    ),
    isIt: ({ attributes }) => 'match' in attributes && attributes.match.peers.includes(`10.50.${nth}.0/24`),
  }),
  instance: (value, nth, { words }) => ({
    document: machineIn(words)(`web-${nth}`, { ...value.spec }, metadataOf(value)),
    isIt: ({ name }) => name === `web-${nth}-0`,
  }),
};

function casesOn(cloud: Cloud, place: Place): readonly Case[] {
  // why: an object's keys are text to TypeScript
  return (Object.keys(values) as readonly Kind[]).flatMap((kind) => {
    const make = documents[kind];
    const rows = Object.entries<readonly Value[] | string>(values[kind]).flatMap(([field, its]) =>
      (typeof its === 'string' ? [] : its).map((value) => ({ field, value })),
    );
    if (make === undefined) return [];
    return rows
      .filter(({ value }) => (value.on ?? everywhere).includes(cloud))
      .map(({ field, value }, nth) => ({ kind, field, value, ...make(value, nth, place) }));
  });
}

const at = (attributes: object, field: string): unknown =>
  field.split('.').reduce<unknown>((value, key) => {
    // why: any object may be asked for any key
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }, attributes);

/** For clouds whose display name is a label. */
const withoutName = (labels: unknown): object =>
  Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => key !== 'Name'));

const places: Readonly<Record<Cloud, () => Promise<Place>>> = {
  aws: async () => {
    const stage = await awsAt.openAwsStage({ quotas: { vpcs: 100 } });
    // why: it brings the keys that the sandbox knows
    await stage.open();
    const here = {
      metadata: { name: 'here' },
      spec: { provider: 'aws', account: awsAt.account, region: awsAt.region },
    };
    return {
      ...engineWorld({ provider: aws, here, quietMs: 600_000 }, stage),
      words: { image: 'ami-0abc0abc0abc0abc0', size: 't3.small' },
    };
  },
  gcp: async () => {
    const stage = await gcpAt.openGcpStage();
    const { project: account, region, zone } = gcpAt;
    const here = { metadata: { name: 'here' }, spec: { provider: 'gcp', account, region, zone } };
    const words = { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small' };
    return { ...engineWorld({ provider: gcp, here, quietMs: 60_000 }, stage), words };
  },
  azure: async () => {
    const stage = await azureAt.openAzureStage();
    const { account, location: region, resourceGroup } = azureAt;
    const here = { metadata: { name: 'here' }, spec: { provider: 'azure', account, region, resourceGroup } };
    const words = { image: 'Canonical:ubuntu-24_04-lts:server:latest', size: 'Standard_B2s', access };
    return { ...engineWorld({ provider: azure, here, quietMs: 600_000 }, stage), words };
  },
  memory: async () => ({
    ...smallWorld(),
    words: { image: 'ami-1', size: 'small' },
    [Symbol.asyncDispose]: async () => {},
  }),
};

describe('a falsy or extreme value of a spec comes back from the cloud as it was written', () => {
  for (const cloud of everywhere)
    test(cloud, async (t) => {
      await using place = await places[cloud]();
      const cases = casesOn(cloud, place);
      assert.ok(cases.length > 10);
      const all = [network(), ...cases.map(({ document }) => document)];
      for (let round = 0; round < 2; round += 1) await place.apply(all);
      const { writes, last } = await place.apply(all);
      assert.deepEqual(writes, [], 'what was applied is changed again');
      for (const { kind, field, value, isIt } of cases)
        await t.test(`${kind} ${field} ${JSON.stringify(value.want).slice(0, 40)}`, () => {
          const found = (last?.observation.resources ?? []).filter((one) => one.kind === kind && isIt(one));
          assert.ok(found.length > 0, 'it is not there');
          for (const one of found) {
            const seen = at(one.attributes, field);
            const shown = field === 'labels' ? withoutName(seen) : seen;
            assert.deepEqual(shown, value.want);
          }
        });
    });
});
