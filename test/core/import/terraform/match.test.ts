import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as aws } from '../../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../../providers/gcp/dialect.ts';
import { importDocuments } from '../../../../src/core/import/documents.ts';
import type { ImportScope } from '../../../../src/core/import/scope-import.ts';
import { letGo, removedFile } from '../../../../src/core/import/terraform/let-go.ts';
import { matchState } from '../../../../src/core/import/terraform/match.ts';
import type { StateInstance } from '../../../../src/core/import/terraform/state.ts';
import type { Ownership } from '../../../../src/core/inventory/ownership.ts';
import type { Condition, Observed, Signs } from '../../../../src/core/observed.ts';
import type { Attributes, Kind, RuleMatch } from '../../../../src/core/resource.ts';

interface More {
  readonly name?: string;
  readonly signs?: Signs;
  readonly condition?: Partial<Condition>;
}

const seen = <K extends Kind>(kind: K, id: string, attributes: Attributes[K], more: More = {}): Observed<K> => ({
  kind,
  id,
  name: more.name ?? id,
  attributes,
  signs: more.signs ?? {},
  condition: { state: 'ready', ...more.condition },
});

const vpc = (id: string, more: More = {}) => seen('network', id, { cidr: '10.0.0.0/16', labels: {} }, more);
const subnet = (id: string, network: string) => seen('subnet', id, { network, cidr: '10.0.1.0/24', labels: {} });
const group = (id: string, network: string) => seen('group', id, { network, labels: {} });
const rule = (id: string, network: string, container?: string, port = '443') => {
  const match = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: port, peers: ['10.0.0.0/8'] } as const;
  const attributes = { network, ...(container === undefined ? {} : { group: container }), match, description: '' };
  return seen('firewall-rule', id, attributes, container === undefined ? {} : { signs: { container } });
};
const machine = (id: string, subnetId: string, more: More & { readonly size?: string } = {}) =>
  seen(
    'instance',
    id,
    {
      placement: { subnet: subnetId, publicIp: false },
      groups: [],
      machine: { image: 'ami-1', size: more.size ?? 't3.small', power: 'running' },
      labels: {},
    },
    more,
  );

const scopeOf = (objects: readonly Observed[], more: Partial<ImportScope> = {}): ImportScope => ({
  scope: 'aws/111122223333/eu-west-1',
  targets: [{ name: 'prod', place: { account: '111122223333', region: 'eu-west-1' } }],
  dialect: aws,
  objects: objects.map((observed) => ({ scope: 's', observed, claim: 'unmanaged', why: 'nobody claims it' })),
  gaps: new Set(),
  adopted: new Map(),
  documentTargets: new Map(),
  ...more,
});

const one = (
  address: string,
  text: StateInstance['attributes']['text'],
  { lists = {}, ...more }: Partial<StateInstance> & Partial<Pick<StateInstance['attributes'], 'lists'>> = {},
): StateInstance => {
  const [type = '', name = ''] = address.split('.');
  return { modules: [], type, name, attributes: { text, lists }, isDeposed: false, ...more };
};

describe('instances of a state and objects on the clouds', () => {
  test('the chosen objects are those of the state, and types without a kind are counted', () => {
    const { chosen, others, held } = matchState(
      [
        one('aws_vpc.a', { id: 'vpc-1' }),
        one('aws_db_instance.db', {}),
        one('aws_db_instance.db2', {}),
        one('aws_eip.ip', {}),
        one('aws_spot_instance_request.spot', {}),
      ],
      [scopeOf([vpc('vpc-1'), vpc('vpc-2')])],
    );
    assert.deepEqual([...chosen], ['vpc-1']);
    assert.equal(held.length, 1);
    assert.deepEqual(others, [
      { type: 'aws_db_instance', count: 2 },
      { type: 'aws_eip', count: 1 },
      { type: 'aws_spot_instance_request', count: 1 },
    ]);
  });

  test('on Google Cloud a link or a path leads to the object, on Azure an id in any case', () => {
    const project = 'projects/acme/global/networks/core';
    const [link, old] = [
      one('google_compute_network.a', { self_link: `https://www.googleapis.com/compute/v1/${project}`, id: 'core' }),
      one('google_compute_network.b', { id: project }),
    ];
    const there = scopeOf([vpc(`${project}#39`)], { dialect: gcp, targets: [] });
    assert.deepEqual([...matchState([link], [there]).chosen], [`${project}#39`]);
    assert.deepEqual([...matchState([old], [there]).chosen], [`${project}#39`]);

    const onAzure = scopeOf([vpc(`${vnet.toLowerCase()}#guid`)], { dialect: azure, targets: [] });
    const found = matchState([one('azurerm_virtual_network.a', { id: vnet })], [onAzure]);
    assert.deepEqual([...found.chosen], [`${vnet.toLowerCase()}#guid`]);
  });

  test('an NSG stands for the rules in it', () => {
    const nsg = '/subscriptions/1a/resourceGroups/acme/providers/Microsoft.Network/networkSecurityGroups/Web';
    const id = `${nsg.toLowerCase()}/securityrules/https`;
    const onAzure = scopeOf([rule(`${id}#1`, 'n'), rule(`${id.replace('/web/', '/web2/')}#1`, 'n')], {
      dialect: azure,
    });
    const chosen = (type: string, text: string) => [...matchState([one(`${type}.a`, { id: text })], [onAzure]).chosen];
    assert.deepEqual(chosen('azurerm_network_security_group', nsg), [`${id}#1`]);
    assert.deepEqual(chosen('azurerm_network_security_rule', `${nsg}/securityRules/https`), [`${id}#1`]);
  });
});

describe('rules of AWS, which listings give no ids', () => {
  const https: RuleMatch = {
    direction: 'ingress',
    action: 'allow',
    protocol: 'tcp',
    ports: '443',
    peers: ['10.0.0.0/8'],
  };
  const atom = (id: string, match: Partial<RuleMatch>, group = 'sg-1') => {
    const attributes = { network: 'vpc-1', group, match: { ...https, ...match }, description: '' };
    return seen('firewall-rule', id, attributes, { signs: { container: 'sg-1' } });
  };
  const objects = [
    ...[vpc('vpc-1'), group('sg-1', 'vpc-1'), group('sg-2', 'vpc-1')],
    ...[atom('https', {}), atom('other', { peers: ['10.1.0.0/16'] }), atom('ssh', { ports: '22' })],
  ];
  const at = { security_group_id: 'sg-1', from_port: '443', to_port: '443', type: 'ingress', protocol: 'tcp' } as const;
  const ofBlocks = (...cidr_blocks: string[]) => one('aws_security_group_rule.a', at, { lists: { cidr_blocks } });
  const chosenOf = (instance: StateInstance, ...more: readonly ImportScope[]) => [
    ...matchState([instance], more.length > 0 ? more : [scopeOf(objects)]).chosen,
  ];

  test('are found by what they let through, each peer by itself', () => {
    assert.deepEqual(chosenOf(ofBlocks('10.0.0.0/8')), ['https']);
    assert.deepEqual(chosenOf(ofBlocks('10.0.0.0/8', '10.1.0.0/16')), ['https', 'other']);
  });

  test('are not found if a part of them is gone, or if their group is another', () => {
    assert.deepEqual(chosenOf(ofBlocks('10.0.0.0/8', '10.9.0.0/16')), []);
    const other = one('aws_security_group_rule.a', { ...at, security_group_id: 'sg-2' });
    assert.deepEqual(
      chosenOf({ ...other, attributes: { ...other.attributes, lists: { cidr_blocks: ['10.0.0.0/8'] } } }),
      [],
    );
  });

  test('are found in a group that is ours already, whose rules refer to it by address', () => {
    const address = 'aws/111122223333/eu-west-1/group/core.web';
    const ours: Ownership = { scope: 's', observed: group('sg-1', 'vpc-1'), claim: 'ours', address, why: 'wanted' };
    const inOurs = atom('self', { peers: [`group:${address}`] }, address);
    const there = { ...scopeOf([]), objects: [ours, { ...ours, observed: inOurs, address: `${address}-x` }] };
    assert.deepEqual(chosenOf(one('aws_security_group_rule.a', { ...at, self: 'true' }), there), ['self']);
  });
});

const vnet = '/subscriptions/1a/resourceGroups/Acme/providers/Microsoft.Network/virtualNetworks/Core';

describe('instances that were not found', () => {
  const here = scopeOf([vpc('vpc-1'), machine('i-dead', 's', { condition: { state: 'gone' } })]);
  const arn = (region: string, account: string) => `arn:aws:ec2:${region}:${account}:vpc/vpc-9`;
  const rows: readonly (readonly [name: string, instance: StateInstance, scope: ImportScope, says: RegExp])[] = [
    ['gone, or elsewhere', one('aws_vpc.a', { id: 'vpc-9' }), here, /do not hold it\. It is in another account or/],
    [
      'gone, by its account',
      one('aws_vpc.a', { id: 'vpc-9', arn: arn('eu-west-1', '111122223333') }),
      here,
      /^The account 111122223333 does not hold it: .*-refresh-only/,
    ],
    [
      'terminated',
      one('aws_instance.a', { id: 'i-dead', arn: arn('eu-west-1', '111122223333') }),
      here,
      /does not hold/,
    ],
    [
      'in another account',
      one('aws_vpc.a', { id: 'vpc-9', arn: arn('eu-west-1', '999900001111') }),
      here,
      /^No target of the specs is for 999900001111 eu-west-1\.$/,
    ],
    [
      'in another region',
      one('aws_vpc.a', { id: 'vpc-9', arn: arn('us-east-1', '') }),
      here,
      /^No target of the specs is for us-east-1\.$/,
    ],
    [
      'on a cloud without a target',
      one('google_compute_network.a', { id: 'projects/a/global/networks/b' }),
      here,
      /gcp/,
    ],
    [
      'in another project',
      one('google_compute_network.a', { id: 'projects/a/global/networks/b' }),
      scopeOf([], { dialect: gcp, targets: [{ name: 'g', place: { account: 'acme', region: 'r' } }] }),
      /^No target of the specs is for a\.$/,
    ],
    [
      'of a kind that could not be listed: it may be there',
      one('aws_vpc.a', { id: 'vpc-9' }),
      scopeOf([], { gaps: new Set<Kind>(['network']) }),
      /^The kind network was not listed completely\.$/,
    ],
    ['without an id', one('aws_vpc.a', {}), here, /does not say the object/],
    ['with an id of another form', one('aws_vpc.a', { id: 'my password' }), here, /does not say the object/],
    [
      'that Terraform will delete',
      one('aws_vpc.a', { id: 'vpc-1' }, { isDeposed: true }),
      here,
      /terraform apply first/,
    ],
    [
      'of Azure in another location',
      one('azurerm_virtual_network.a', { id: vnet, location: 'North Europe' }),
      scopeOf([], { dialect: azure, targets: [{ name: 'a', place: { account: '1A', region: 'westeurope' } }] }),
      /^No target of the specs is for 1a northeurope\.$/,
    ],
    [
      'of Azure, gone',
      one('azurerm_virtual_network.a', { id: vnet, location: 'West Europe' }),
      scopeOf([], { dialect: azure, targets: [{ name: 'a', place: { account: '1a', region: 'westeurope' } }] }),
      /^The account 1a does not hold it/,
    ],
    [
      'an NSG without rules, which may be there',
      one('azurerm_network_security_group.a', { id: vnet.replace('virtualNetworks', 'networkSecurityGroups') }),
      scopeOf([], { dialect: azure, targets: [{ name: 'a', place: { account: '1a', region: 'westeurope' } }] }),
      /^None of its rules was found/,
    ],
    ['of another kind', one('aws_subnet.a', { id: 'subnet-1' }), scopeOf([vpc('subnet-1')]), /out of date/],
  ];
  for (const [name, instance, scope, says] of rows)
    test(name, () => {
      const { missing, chosen } = matchState([instance], [scope]);
      assert.match(missing[0]?.reason ?? '', says);
      assert.equal(missing[0]?.id === 'my password', false, 'what has not the form of an id is not repeated');
      assert.equal(chosen.size, 0);
    });
});

const named = (objects: readonly Observed[], instances: readonly StateInstance[], more: Partial<ImportScope> = {}) => {
  const scope = scopeOf(objects, more);
  const { chosen, names } = matchState(instances, [scope]);
  const { documents } = importDocuments({
    scopes: [scope],
    selection: { networks: [], kinds: [], ids: [], labels: [], among: chosen },
    names: { Network: ['taken'], FirewallRule: [], Instance: [] },
    excluded: new Map(),
    given: names,
  });
  return {
    documents: documents.map(({ kind, name, objects: ids }) => `${kind} ${name}: ${ids.length}`),
    text: JSON.stringify(documents.map(({ value }) => value)),
  };
};
const counted = (name: string, ids: readonly string[]) =>
  ids.map((id, key) => one(`aws_instance.${name}`, { id }, { key }));

describe('names of documents', () => {
  const [net, app] = [vpc('vpc-1', { name: 'Old name' }), subnet('subnet-1', 'vpc-1')];

  test('are those of the addresses, in their network without its name, and numbered where they are taken', () => {
    const [web, a] = [group('sg-1', 'vpc-1'), rule('sgr-1', 'vpc-1', 'sg-1')];
    const modules = [{ name: 'net', key: 'eu' }];
    const { documents, text } = named(
      [net, app, web, a, rule('sgr-2', 'vpc-1', 'sg-1', '80'), vpc('vpc-2')],
      [
        one('aws_vpc.core', { id: 'vpc-1' }, { modules }),
        one('aws_vpc.taken', { id: 'vpc-2' }),
        one('aws_subnet.app', { id: 'subnet-1' }, { modules: [...modules, { name: 'core' }], key: 'a' }),
        one('aws_security_group.this', { id: 'sg-1' }),
        one('aws_vpc_security_group_ingress_rule.https', {
          id: 'sgr-7',
          security_group_id: 'sg-1',
          ip_protocol: 'tcp',
          from_port: '443',
          to_port: '443',
          cidr_ipv4: '10.0.0.0/8',
        }),
      ],
    );
    assert.deepEqual(
      documents,
      ['Network net-eu-core: 3', 'Network taken-2: 1', 'FirewallRule this-tcp-80-443: 2'].map((line) => line),
    );
    assert.match(text, /"subnets":\[\{"name":"app-a"/);
    assert.match(text, /"groups":\[\{"name":"this"/);
  });

  test('a count of equal machines is one document with replicas in its order, whatever their names', () => {
    const machines = ['i-3', 'i-1', 'i-2'].map((id) => machine(id, 'subnet-1', { name: 'x' }));
    const { documents, text } = named([net, app, ...machines], counted('web', ['i-2', 'i-3', 'i-1']));
    assert.deepEqual(documents, ['Network Old-name: 2', 'Instance web: 3']);
    assert.match(text, /\["i-2","i-3","i-1"\]/);
  });

  test('a count of machines that differ has a document for each, named by its first number', () => {
    const machines = ['t3.small', 't3.small', 't3.large', 't3.large'].map((size, at) =>
      machine(`i-${at}`, 'subnet-1', { name: '', size }),
    );
    const { documents } = named([net, app, ...machines], counted('web', ['i-0', 'i-1', 'i-2', 'i-3']));
    assert.deepEqual(documents, ['Network Old-name: 2', 'Instance web: 2', 'Instance web-2: 2']);
  });

  test('machines of for_each keep their keys, and those of two resources stay apart', () => {
    const machines = ['i-1', 'i-2', 'i-3'].map((id) => machine(id, 'subnet-1', { name: '' }));
    const { documents } = named(
      [net, app, ...machines],
      [
        one('aws_instance.web', { id: 'i-1' }, { key: 'a' }),
        one('aws_instance.web', { id: 'i-2' }, { key: 'b' }),
        one('aws_instance.db', { id: 'i-3' }),
      ],
    );
    assert.deepEqual(documents.toSorted(), [
      'Instance db: 1',
      'Instance web-a: 1',
      'Instance web-b: 1',
      'Network Old-name: 2',
    ]);
  });

  test('where names are unique, machines join only if their own names have the ordinals', () => {
    const instance = (id: string, name: string) =>
      machine(id, 'subnet-1', { name, signs: { slot: `aws/111122223333/eu-west-1/instance/${name}` } });
    const state = counted('web', ['i-0', 'i-1']);
    const documents = (a: string, b: string) =>
      named([net, app, instance('i-0', a), instance('i-1', b)], state).documents;
    assert.deepEqual(documents('srv-0', 'srv-1').slice(1), ['Instance web: 2']);
    assert.deepEqual(documents('srv-0', 'other-1').slice(1), ['Instance web: 1', 'Instance web-1: 1']);
    assert.deepEqual(documents('srv-1', 'srv-0').slice(1), ['Instance web: 1', 'Instance web-1: 1']);
  });
});

describe('resources that Terraform can forget', () => {
  const objects = [
    vpc('vpc-1'),
    group('sg-1', 'vpc-1'),
    rule('sgr-1', 'vpc-1', 'sg-1'),
    ...['subnet-1', 'subnet-2'].map((id) => subnet(id, 'vpc-1')),
  ];
  const modules = [{ name: 'net', key: 'a' }];
  const state = [
    one('aws_vpc.main', { id: 'vpc-1' }, { modules }),
    one('aws_security_group.web', { id: 'sg-1' }),
    one('aws_subnet.app', { id: 'subnet-1' }, { key: "it's" }),
    one('aws_subnet.app', { id: 'subnet-2' }, { key: 'b' }),
  ];
  const gone = (without: readonly string[], more: readonly StateInstance[] = []) => {
    const match = matchState([...state, ...more], [scopeOf(objects)]);
    const { whole, parts } = letGo(match, (id) => !without.includes(id));
    return { whole, parts };
  };

  test('are whole resources without keys, with modules', () => {
    assert.deepEqual(gone([]), {
      whole: ['module.net.aws_vpc.main', 'aws_security_group.web', 'aws_subnet.app'],
      parts: [],
    });
  });

  test('a resource with an instance that has no document is kept, and the others are named one by one', () => {
    assert.deepEqual(gone(['subnet-2']), {
      whole: ['module.net.aws_vpc.main', 'aws_security_group.web'],
      parts: [`aws_subnet.app["it's"]`],
    });
  });

  test('so is one with an instance that was not found, in another module too, or that is deposed', () => {
    const other = one('aws_vpc.main', { id: 'vpc-9' }, { modules: [{ name: 'net', key: 'b' }] });
    assert.deepEqual(gone([], [other]).parts, ['module.net["a"].aws_vpc.main']);
    const deposed = one('aws_vpc.main', { id: 'vpc-1' }, { modules, isDeposed: true });
    assert.deepEqual(gone([], [deposed]).parts, ['module.net["a"].aws_vpc.main']);
  });

  test('a group is kept while one of its rules has no document: nobody would manage the rule', () => {
    assert.deepEqual(gone(['sgr-1']).whole, ['module.net.aws_vpc.main', 'aws_subnet.app']);
  });

  test('the file has a block for each, and commands for parts', () => {
    const text = removedFile(gone(['subnet-2']));
    assert.match(
      text,
      /\n\nremoved \{\n {2}from = module\.net\.aws_vpc\.main\n\n {2}lifecycle \{\n {4}destroy = false\n {2}\}\n\}\n\nremoved/,
    );
    assert.match(text, /^# {3}terraform state rm 'aws_subnet\.app\["it'\\''s"\]'$/m);
    assert.match(text, /\}\n$/);
    assert.doesNotMatch(removedFile(gone([])), /state rm/);
    assert.match(removedFile({ whole: [], parts: ['aws_vpc.a[0]'] }), /^(?:#.*\n)+$/);
  });
});
