import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { compiled } from '../../support/engine-world/compiled.ts';
import { looked, see, settle } from './fixture.ts';

/** An adopted rule is ours by the store alone: it bears no mark, and its description is of those who wrote it. */
const networkId = 'projects/acme/global/networks/core#1';
const id = 'projects/acme/global/firewalls/allow-web#7';
const estate = { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } };
const target = {
  kind: 'Target',
  metadata: { name: 'prod' },
  spec: { provider: 'gcp', account: 'acme-prod', region: 'europe-west1', zone: 'europe-west1-b' },
};
const network = {
  kind: 'Network',
  metadata: { name: 'core', adopt: { prod: networkId } },
  spec: {
    targets: ['prod'],
    cidr: '10.0.0.0/8',
    internet: 'unmanaged',
    allGroup: false,
    rules: 'additive',
    groups: [{ name: 'web', adopt: { prod: 'http-server' } }],
  },
};
const rule = (spec: object = {}) => ({
  kind: 'FirewallRule',
  metadata: { name: 'allow-web', adopt: { prod: id } },
  spec: { network: 'core', protocol: 'tcp', ports: [443], group: 'web', peers: { cidrs: ['0.0.0.0/0'] }, ...spec },
});
const address = 'gcp/acme-prod/global/firewall-rule/core.allow-web';

const standing: RuleAttributes = {
  network: networkId,
  match: {
    direction: 'ingress',
    action: 'allow',
    protocol: 'tcp',
    ports: '443',
    peers: ['0.0.0.0/0'],
    targets: ['tag:http-server'],
  },
  description: 'written by a colleague',
  order: { priority: 1000, disabled: false, log: false },
};
const seen = (changes: Partial<RuleAttributes> = {}, match: Partial<RuleAttributes['match']> = {}) =>
  see('firewall-rule', id, { ...standing, ...changes, match: { ...standing.match, ...match } }, { name: 'allow-web' });
const vpc = see('network', networkId, { internet: true, labels: {} }, { name: 'core' });

/** The store after the adoption of both. */
const adopted: Knowledge = {
  estate: 'acme',
  store: 's1',
  settled: new Map([
    [networkId, settle('network', 'gcp/acme-prod/global/network/core', { storeOnly: true, adopted: true })],
    [id, settle('firewall-rule', address, { storeOnly: true, adopted: true, deletionPolicy: 'delete' })],
  ]),
  pending: [],
  applied: new Map([
    [
      address,
      {
        attributes: { ...standing, network: 'gcp/acme-prod/global/network/core', description: '' },
        generation: 1,
        documents: [address],
      },
    ],
  ]),
  unstuck: new Map(),
};

const nothing: Knowledge = { ...adopted, settled: new Map(), applied: new Map() };

function planned(
  documents: readonly object[],
  resources: readonly Observed[],
  knowledge: Knowledge = adopted,
  dialect: Dialect = gcp,
) {
  const { scope } = compiled([estate, target, network, ...documents], dialect);
  const observation = { ...looked(resources), scope: scope.scope };
  const { actions, findings } = plan({ wanted: scope.wanted, observation, knowledge, dialect });
  const ofRule = actions.filter(({ kind }) => kind === 'firewall-rule');
  return {
    actions: ofRule.map((action) =>
      `${action.verb} ${action.address}${'changes' in action ? ` ${action.changes.map(({ field }) => field).join(',')}` : ''}`.trim(),
    ),
    findings: findings.flatMap((finding) =>
      'code' in finding && 'kind' in finding && finding.kind === 'firewall-rule'
        ? [`${finding.type} ${finding.code}`]
        : [],
    ),
  };
}

test('an unmarked firewall is adopted as it stands: nothing of it changes, and no mark is written', () => {
  assert.deepEqual(planned([rule()], [vpc, seen()], nothing), { actions: [`adopt ${address}`], findings: [] });
});

test('once adopted it is in sync, whatever its description says', () => {
  assert.deepEqual(planned([rule()], [vpc, seen({ description: 'another text' })]), { actions: [], findings: [] });
});

test('a stated description is compared', () => {
  assert.deepEqual(planned([rule({ description: 'public site' })], [vpc, seen()]).actions, [
    `update ${address} description`,
  ]);
});

test('a change of its traffic, its priority or its switch is undone in place', () => {
  assert.deepEqual(planned([rule()], [vpc, seen({}, { peers: ['0.0.0.0/0', '10.0.0.0/8'] })]).actions, [
    `update ${address} match.peers`,
  ]);
  assert.deepEqual(planned([rule()], [vpc, seen({ order: { priority: 7, disabled: true, log: false } })]).actions, [
    `update ${address} order.priority,order.disabled`,
  ]);
});

test("a colleague's change of its machines is undone; a spec's change of them is blocked, as another rule must stand first", () => {
  assert.deepEqual(planned([rule()], [vpc, seen({}, { targets: [] })]).actions, [`update ${address} match.targets`]);
  const moved = planned([rule({ group: undefined, appliesTo: { network: true } })], [vpc, seen()]);
  assert.deepEqual(moved, { actions: [], findings: ['blocked immutable'] });
});

test('a document that names other machines than the rule has adopts nothing', () => {
  const other = planned([rule({ group: undefined, appliesTo: { network: true } })], [vpc, seen()], nothing);
  assert.deepEqual(other, { actions: [], findings: ['blocked immutable'] });
});

test('its document may get another name: the id tells that it is the same rule', () => {
  const renamed = { ...rule(), metadata: { name: 'site', adopt: { prod: id } } };
  assert.deepEqual(planned([renamed], [vpc, seen()]), {
    actions: ['update gcp/acme-prod/global/firewall-rule/core.site address'],
    findings: [],
  });
});

test('a name that another document has taken since is no new name', () => {
  const renamed = { ...rule(), metadata: { name: 'site', adopt: { prod: id } } };
  const other = { ...rule(), metadata: { name: 'allow-web', adopt: { prod: `${id}0` } } };
  const { actions, findings } = planned([renamed, other], [vpc, seen()]);
  assert.deepEqual(actions, []);
  assert.ok(findings.includes('blocked owned-by'), findings.join());
});

test('no plan deletes it once its document is gone', () => {
  const { actions, findings } = planned([], [vpc, seen()]);
  assert.deepEqual([actions, findings], [[], ['withheld adopted-in-store-only']]);
});

test('a rule that is not listed is not made a second time', () => {
  assert.deepEqual(planned([rule()], [vpc], nothing).findings, ['blocked adopt-missing']);
  assert.deepEqual(planned([rule()], [vpc]).findings, ['blocked adopt-missing']);
});

test('a mark that somebody copied onto it makes it no copy of ours, and is no reason to write', () => {
  const copied = seen();
  const marked = { ...copied, signs: { mark: { estate: 'other', store: 's9', address } } };
  assert.deepEqual(planned([rule()], [vpc, marked], nothing).findings, ['blocked owned-by']);
});

test('an adopted rule of Azure keeps its priority, while those of documents get numbers', () => {
  const azureTarget = {
    kind: 'Target',
    metadata: { name: 'prod' },
    spec: {
      provider: 'azure',
      account: '00000000-0000-0000-0000-000000000001',
      region: 'westeurope',
      resourceGroup: 'acme',
    },
  };
  const documents = [
    { kind: 'Network', metadata: { name: 'own' }, spec: { targets: ['prod'], cidr: '10.1.0.0/16' } },
    {
      kind: 'FirewallRule',
      metadata: { name: 'made' },
      spec: { network: 'own', protocol: 'tcp', peers: { any: true }, priority: 4000 },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'kept', adopt: { prod: '/nsg/securityrules/kept' } },
      spec: { targets: ['prod'], protocol: 'tcp', appliesTo: { network: true }, peers: { any: true }, priority: 117 },
    },
  ];
  const { scope } = compiled([estate, azureTarget, ...documents], azure);
  const kept = see('firewall-rule', '/nsg/securityrules/kept', {
    network: '/nsg',
    match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: 'all', peers: ['any'], targets: [] },
    description: '',
    order: { priority: 117 },
  });
  const observation = { ...looked([kept]), scope: scope.scope };
  const { actions } = plan({ wanted: scope.wanted, observation, knowledge: nothing, dialect: azure });
  const numbers = actions.flatMap((one) =>
    'desired' in one && 'order' in one.desired.attributes && one.address.includes('/firewall-rule/')
      ? [
          `${one.verb} ${one.address
            .split('/')
            .at(-1)
            ?.replace(/-[0-9a-f]{8}$/, '')} ${one.desired.attributes.order?.priority}`,
        ]
      : [],
  );
  assert.ok(numbers.includes('adopt kept 117'), numbers.join('; '));
  assert.ok(numbers.includes('create own.made 109'), numbers.join('; '));
});

test('a group of another network that a rule names by id is known by its address once it is ours', () => {
  const awsTarget = {
    kind: 'Target',
    metadata: { name: 'prod' },
    spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1' },
  };
  const of = (name: string, group: string) => ({
    kind: 'Network',
    metadata: { name, adopt: { prod: `vpc-${name}` } },
    spec: {
      targets: ['prod'],
      cidr: '10.0.0.0/16',
      internet: 'unmanaged',
      allGroup: false,
      default: { ingress: 'deny', egress: 'deny' },
      rules: 'additive',
      groups: [{ name: group, adopt: { prod: `sg-${name === 'one' ? '1' : '2'}` } }],
    },
  });
  const peered = {
    kind: 'FirewallRule',
    metadata: { name: 'from-two' },
    spec: { network: 'one', protocol: 'tcp', ports: [443], group: 'web', peers: { groupIds: ['sg-2'] } },
  };
  const { scope } = compiled([estate, awsTarget, of('one', 'web'), of('two', 'db'), peered], aws);
  const at = (kind: string, name: string) => `aws/111122223333/eu-west-1/${kind}/${name}`;
  const knowledge: Knowledge = {
    ...nothing,
    settled: new Map([
      ['vpc-one', settle('network', at('network', 'one'))],
      ['vpc-two', settle('network', at('network', 'two'))],
      ['sg-1', settle('group', at('group', 'one.web'))],
      ['sg-2', settle('group', at('group', 'two.db'))],
    ]),
  };
  const marked = (address: string) => ({
    signs: { mark: { estate: 'acme', store: 's1', address, deletionPolicy: 'retain' as const } },
  });
  const resources: readonly Observed[] = [
    see('network', 'vpc-one', { cidr: '10.0.0.0/16', labels: {} }, { name: 'one', ...marked(at('network', 'one')) }),
    see('network', 'vpc-two', { cidr: '10.0.0.0/16', labels: {} }, { name: 'two', ...marked(at('network', 'two')) }),
    see('group', 'sg-1', { network: 'vpc-one', labels: {} }, { name: 'web', ...marked(at('group', 'one.web')) }),
    see('group', 'sg-2', { network: 'vpc-two', labels: {} }, { name: 'db', ...marked(at('group', 'two.db')) }),
    see(
      'firewall-rule',
      'sg-1/ingress/tcp/443/group:sg-2',
      {
        network: 'vpc-one',
        group: 'sg-1',
        match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['group:sg-2'] },
        description: '',
      },
      { signs: { container: 'sg-1' } },
    ),
  ];
  const observation = { ...looked(resources), scope: scope.scope };
  const { actions } = plan({ wanted: scope.wanted, observation, knowledge, dialect: aws });
  assert.deepEqual(
    actions.filter(({ kind }) => kind === 'firewall-rule').map(({ verb, address }) => `${verb} ${address}`),
    [],
  );
});
