import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { importDocuments } from '../../../src/core/import/documents.ts';
import type { ImportScope } from '../../../src/core/import/scope-import.ts';
import type { Ownership } from '../../../src/core/inventory/ownership.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, Kind, RuleAttributes } from '../../../src/core/resource.ts';

/** Rules that no group holds: each becomes a document of its own, with the id of its object. */
const seen = <K extends Kind>(
  kind: K,
  id: string,
  attributes: Attributes[K],
  signs: Observed['signs'] = {},
): Observed<K> => ({ kind, id, name: id.split('/').at(-1) ?? id, attributes, signs, condition: { state: 'ready' } });

type Match = Partial<RuleAttributes['match']>;
const rule = (id: string, network: string, match: Match = {}, more: Partial<RuleAttributes> = {}) =>
  seen('firewall-rule', id, {
    network,
    match: {
      direction: 'ingress',
      action: 'allow',
      protocol: 'tcp',
      ports: '443',
      peers: ['0.0.0.0/0'],
      targets: [],
      ...match,
    },
    description: '',
    order: { priority: 1000 },
    ...more,
  });

const google = {
  scope: 'gcp/acme',
  targets: [{ name: 'west', place: { account: 'acme', region: 'europe-west1', zone: 'europe-west1-b' } }],
  dialect: gcp,
};
const arm = {
  scope: 'azure/s/westeurope',
  targets: [{ name: 'prod', place: { account: 's', region: 'westeurope', resourceGroup: 'acme' } }],
  dialect: azure,
};

const free = (observed: Observed): Ownership => ({ scope: '', observed, claim: 'unmanaged', why: 'nobody claims it' });

function imported(
  where: Pick<ImportScope, 'scope' | 'targets' | 'dialect'>,
  objects: readonly (Observed | Ownership)[],
  more: Partial<ImportScope> = {},
) {
  const scope: ImportScope = {
    ...where,
    objects: objects.map((one) => ('claim' in one ? one : free(one))),
    gaps: new Set(),
    adopted: new Map(),
    documentTargets: new Map(),
    ...more,
  };
  const selection = { networks: [], kinds: [], ids: [], labels: [] };
  const names = { Network: [], FirewallRule: [], Instance: [] };
  const { documents, uncovered } = importDocuments({ scopes: [scope], selection, names, excluded: new Map() });
  return {
    documents: documents.map(({ kind, network, value }) => ({
      kind,
      file: network,
      metadata: fieldOf(value, 'metadata'),
      spec: fieldOf(value, 'spec'),
    })),
    uncovered: Object.fromEntries(uncovered.map(({ id, reason }) => [id, reason])),
  };
}

const fieldOf = (value: object, field: string): object => Object(Reflect.get(value, field));

const ruleOf = (found: ReturnType<typeof imported>, index = 0) =>
  found.documents.filter(({ kind }) => kind === 'FirewallRule')[index];

test('Google: a firewall with several protocols, tags and a switch is one document', () => {
  const net = seen('network', 'net', { labels: {} });
  const found = imported(google, [
    net,
    rule(
      'web',
      'net',
      {
        protocol: 'icmp,tcp',
        ports: 'icmp:all;tcp:80,8000-8100',
        targets: ['tag:http-server'],
        peers: ['10.0.0.0/8', 'tag:net-lb'],
      },
      { description: 'public site', order: { priority: 65534, disabled: true, log: true } },
    ),
  ]);
  assert.deepEqual(found.uncovered, {});
  assert.deepEqual(ruleOf(found), {
    kind: 'FirewallRule',
    file: 'net',
    metadata: { name: 'web', adopt: { west: 'web' } },
    spec: {
      network: 'net',
      protocols: [{ protocol: 'icmp' }, { protocol: 'tcp', ports: [80, '8000-8100'] }],
      group: 'http-server',
      peers: { cidrs: ['10.0.0.0/8'], groups: ['lb'] },
      priority: 65534,
      description: 'public site',
      disabled: true,
      log: true,
    },
  });
  assert.deepEqual(Reflect.get(found.documents[0]?.spec ?? {}, 'groups'), [
    { name: 'http-server', adopt: { west: 'http-server' } },
    { name: 'lb', adopt: { west: 'net-lb' } },
  ]);
});

test('Google: a firewall for every machine, and one for service accounts and addresses', () => {
  const found = imported(google, [
    seen('network', 'net', { labels: {} }),
    rule('everyone', 'net', { action: 'deny', protocol: '50', ports: 'all' }),
    rule('accounts', 'net', {
      direction: 'egress',
      targets: ['range:10.1.0.0/16', 'service-account:a@acme.iam.gserviceaccount.com'],
    }),
  ]);
  assert.deepEqual(ruleOf(found, 1)?.spec, {
    network: 'net',
    action: 'deny',
    protocol: 50,
    appliesTo: { network: true },
    peers: { cidrs: ['0.0.0.0/0'] },
  });
  assert.deepEqual(Reflect.get(ruleOf(found)?.spec ?? {}, 'appliesTo'), {
    cidrs: ['10.1.0.0/16'],
    serviceAccounts: ['a@acme.iam.gserviceaccount.com'],
  });
});

test('a description that is longer than a document takes is not stated, and stays as it is', () => {
  const found = imported(google, [
    seen('network', 'net', { labels: {} }),
    rule('long', 'net', {}, { description: 'x'.repeat(300) }),
  ]);
  assert.equal(Reflect.get(ruleOf(found)?.spec ?? {}, 'description'), undefined);
});

test('a rule of a network that has a document already is on the targets of that document', () => {
  const owned: Ownership = {
    ...free(seen('network', 'net', { labels: {} })),
    claim: 'ours',
    address: 'gcp/acme/global/network/core',
    why: 'wanted',
  };
  const documentTargets = new Map([['gcp/acme/global/network/core', ['west', 'east']]]);
  const found = imported(google, [owned, rule('web', 'net')], { documentTargets });
  assert.deepEqual(ruleOf(found)?.metadata, { name: 'web', adopt: { west: 'web', east: 'web' } });
  assert.equal(ruleOf(found)?.file, 'core');
});

test('Azure: a network in another resource group names that group', () => {
  const slot = 'azure/s/westeurope/hub/network/vnet';
  const found = imported(arm, [seen('network', '/vnet', { cidr: '10.0.0.0/16', labels: {} }, { slot })]);
  assert.deepEqual(found.uncovered, {
    '/vnet':
      'No target of the specs has its resource group hub. Add a target with resourceGroup: hub, then import again.',
  });
});

test('Azure: a network keeps its security groups, and a rule has the network of the subnets that it filters', () => {
  const slot = 'azure/s/westeurope/acme/network/vnet';
  const found = imported(arm, [
    seen('network', '/vnet', { cidr: '10.0.0.0/16', labels: {} }, { slot }),
    seen('subnet', '/vnet/app', { network: '/vnet', cidr: '10.0.1.0/24', labels: {} }, { parent: '/vnet' }),
    seen('group', '/asg/web', { network: '', labels: {} }, { slot: 'azure/s/westeurope/acme/group/web' }),
    rule('/nsg/securityrules/ssh', '/vnet', {
      protocol: 'all',
      ports: '22,88-90',
      peers: ['service-tag:VirtualNetwork'],
      targets: ['/asg/web'],
    }),
  ]);
  assert.deepEqual(found.uncovered, {});
  const [network] = found.documents;
  assert.equal(Reflect.get(network?.spec ?? {}, 'filter'), 'unmanaged');
  assert.deepEqual(Reflect.get(network?.spec ?? {}, 'groups'), [{ name: 'web', adopt: { prod: '/asg/web' } }]);
  assert.deepEqual(ruleOf(found)?.spec, {
    network: 'vnet',
    protocol: 'all',
    ports: [22, '88-90'],
    group: 'web',
    peers: { serviceTags: ['VirtualNetwork'] },
  });
});

test('Azure: a rule of a security group that filters no subnet lies in no network', () => {
  const found = imported(arm, [
    rule('/groups/nsg/securityrules/ssh', '/groups/nsg#1', { peers: ['any'] }, { order: { priority: 117 } }),
  ]);
  assert.deepEqual(ruleOf(found), {
    kind: 'FirewallRule',
    file: 'nsg',
    metadata: { name: 'ssh', adopt: { prod: '/groups/nsg/securityrules/ssh' } },
    spec: {
      targets: ['prod'],
      protocol: 'tcp',
      ports: [443],
      appliesTo: { network: true },
      peers: { any: true },
      priority: 117,
    },
  });
});

test('Azure: source ports have no word in a document, and so has a group without one', () => {
  const found = imported(arm, [
    rule('/n/securityrules/a', '/n', { ports: '443 from 1024-65535' }),
    rule('/n/securityrules/b', '/n', { targets: ['/asg/gone'] }),
  ]);
  assert.deepEqual(found.uncovered, {
    '/n/securityrules/a': 'It names source ports: 443 from 1024-65535.',
    '/n/securityrules/b': 'No group of a document stands for /asg/gone.',
  });
});
