import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { instanceAddress } from '../../../../src/core/import/terraform/addresses.ts';
import { mostInstances, readState } from '../../../../src/core/import/terraform/state.ts';
import { assertHidden, canary } from '../../../support/canary.ts';

const file = (...resources: readonly object[]): string => JSON.stringify({ version: 4, serial: 1, resources });

const resource = (type: string, name: string, instances: readonly object[], more: object = {}): object => ({
  mode: 'managed',
  type,
  name,
  provider: 'provider["registry.terraform.io/hashicorp/aws"]',
  instances,
  ...more,
});

const vpc = (id: string, more: object = {}): object => ({ schema_version: 1, attributes: { id }, ...more });

/** Addresses with the attributes that were read. */
function readOf(text: string): Readonly<Record<string, object>> {
  const read = readState(text);
  assert.ok('instances' in read, 'problem' in read ? JSON.stringify(read.problem) : '');
  return Object.fromEntries(
    read.instances.map((one) => [instanceAddress(one), { ...one.attributes.text, ...one.attributes.lists }]),
  );
}

describe('a state file', () => {
  test('gives addresses with modules and keys, and ids', () => {
    const text = file(
      resource('aws_vpc', 'main', [vpc('vpc-1')]),
      resource('aws_subnet', 'app', [vpc('subnet-1', { index_key: 'a' }), vpc('subnet-2', { index_key: 'b.c"d' })], {
        module: 'module.net["eu.west"].module.inner[0]',
      }),
      resource('aws_instance', 'web', [vpc('i-1', { index_key: 0 }), vpc('i-2', { index_key: 1 })]),
    );
    assert.deepEqual(readOf(text), {
      'aws_vpc.main': { id: 'vpc-1' },
      'module.net["eu.west"].module.inner[0].aws_subnet.app["a"]': { id: 'subnet-1' },
      'module.net["eu.west"].module.inner[0].aws_subnet.app["b.c\\"d"]': { id: 'subnet-2' },
      'aws_instance.web[0]': { id: 'i-1' },
      'aws_instance.web[1]': { id: 'i-2' },
    });
  });

  test('is read in any order of its keys, without data sources, and with what an upgrade left', () => {
    const text = `{"resources":[
      {"instances":[{"attributes":{"id":"vpc-1"}}],"name":"main","type":"aws_vpc","mode":"managed"},
      {"mode":"data","type":"aws_vpc","name":"other","instances":[{"attributes":{"id":"vpc-2"}}]},
      {"mode":"managed","type":"aws_vpc","name":"flat","instances":[{"attributes_flat":{"id":"vpc-3","tags.%":"0"}}]}
    ],"version":4}`;
    assert.deepEqual(readOf(text), { 'aws_vpc.main': { id: 'vpc-1' }, 'aws_vpc.flat': { id: 'vpc-3' } });
  });

  test('numbers and truth values are texts, lists are lists, and anything else is nothing', () => {
    const rule = {
      ...{ security_group_id: 'sg-1', from_port: 443, to_port: -1, self: false, protocol: null, type: ['x'] },
      ...{
        cidr_blocks: ['10.0.0.0/8', 1, '10.1.0.0/16'],
        ipv6_cidr_blocks: null,
        prefix_list_ids: 'x',
        tags: { id: 'y' },
      },
    };
    const text = file(resource('aws_security_group_rule', 'a', [{ attributes: rule }]));
    assert.deepEqual(readOf(text), {
      'aws_security_group_rule.a': {
        ...{ security_group_id: 'sg-1', from_port: '443', to_port: '-1', self: 'false' },
        cidr_blocks: ['10.0.0.0/8', '10.1.0.0/16'],
      },
    });
  });

  test('a deposed object is told from the one in its place', () => {
    const read = readState(
      file(resource('aws_instance', 'web', [vpc('i-2'), vpc('i-1', { deposed: 'abcd1234', status: 'tainted' })])),
    );
    assert.deepEqual('instances' in read && read.instances.map(({ isDeposed }) => isDeposed), [false, true]);
  });

  test('keeps ids of types with a kind only: that of another may be its secret', () => {
    const text = file(resource('random_string', 'token', [{ attributes: { id: canary, result: canary } }]));
    assert.deepEqual(readOf(text), { 'random_string.token': {} });
    assertHidden(readState(text));
  });

  test('may begin with a byte order mark', () => {
    assert.deepEqual(readOf(`\uFEFF${file(resource('aws_vpc', 'main', [vpc('vpc-1')]))}`), {
      'aws_vpc.main': { id: 'vpc-1' },
    });
  });
});

describe('the output of show -json', () => {
  const shown = (type: string, name: string, id: string, more: object = {}): object => ({
    address: `${type}.${name}`,
    mode: 'managed',
    type,
    name,
    provider_name: 'registry.opentofu.org/hashicorp/aws',
    schema_version: 1,
    values: { id, user_data: canary },
    sensitive_values: { user_data: true },
    ...more,
  });
  const text = JSON.stringify({
    format_version: '1.0',
    terraform_version: '1.9.0',
    values: {
      outputs: { secret: { sensitive: true, value: canary } },
      root_module: {
        resources: [shown('aws_vpc', 'main', 'vpc-1'), shown('aws_vpc', 'seen', 'vpc-9', { mode: 'data' })],
        child_modules: [
          {
            resources: [shown('aws_subnet', 'app', 'subnet-1', { index: 'a' })],
            address: 'module.net["x"]',
            child_modules: [
              {
                address: 'module.net["x"].module.inner',
                resources: [shown('aws_instance', 'web', 'i-1', { index: 3, deposed_key: 'ab' })],
              },
            ],
          },
        ],
      },
    },
  });

  test('gives the same as a state file', () => {
    assert.deepEqual(readOf(text), {
      'aws_vpc.main': { id: 'vpc-1' },
      'module.net["x"].aws_subnet.app["a"]': { id: 'subnet-1' },
      'module.net["x"].module.inner.aws_instance.web[3]': { id: 'i-1' },
    });
    assertHidden(readState(text));
  });

  test('has no values where the state is empty', () => {
    assert.deepEqual(readOf('{"format_version":"1.0"}'), {});
  });
});

describe('no state', () => {
  const whole = file(resource('aws_vpc', 'main', [vpc('vpc-1', { private: canary })]));
  const refused: readonly (readonly [name: string, text: string, says: RegExp, next: RegExp])[] = [
    ['nothing', ' \n', /empty/, /terraform state pull/],
    ['version 3', '{"version":3,"modules":[]}', /version 3.*reads version 4/, /0\.12/],
    ['version 5', '{"version":5,"resources":{}}', /version 5/, /show -json/],
    ['another format', '{"format_version":"2.0","values":{}}', /format_version/, /state pull/],
    ['a plan', '{"format_version":"1.2","planned_values":{}}', /is a plan/, /without the name of a plan/],
    ['a saved plan', 'PK\u0003\u0004', /is a plan/, /show -json/],
    [
      'an encrypted state',
      `{"serial":1,"lineage":"a","meta":{"key_provider.pbkdf2.x":"${canary}"},"encrypted_data":"${canary}","encryption_version":"v0"}`,
      /OpenTofu has encrypted it/,
      /tofu show -json/,
    ],
    ['other JSON', `{"password":"${canary}"}`, /no state/, /state pull/],
    ['a list', '[]', /1:1 .*an object was expected/, /state pull/],
    ['configuration', `resource "aws_vpc" "main" { x = "${canary}" }`, /1:1 .*an object was expected/, /state pull/],
    ['more behind it', `${whole} ${canary}`, /1:\d+ .*nothing more was expected/, /state pull/],
    ['a comma too many', `{"version": 4,\n "a": "${canary}", }`, /2:28 .*double quotes/, /state pull/],
    ['a word', `{"version": 4, "a": ${canary}}`, /1:21 .*a value was expected/, /state pull/],
    ['a missing colon', `{"version" 4}`, /1:12 .*colon/, /state pull/],
    ['a broken escape', `{"a": "\\x${canary}"}`, /1:8 .*escape/, /state pull/],
    ['a line break in a text', `{"a": "${canary}\n"}`, /control character/, /state pull/],
    ['a name with a line break', file(resource('aws_vpc', 'a\n}', [vpc('vpc-1')])), /no valid name/, /state pull/],
    ['a type that is none', file(resource('aws-vpc', 'a', [vpc('vpc-1')])), /no valid type/, /state pull/],
    ['a module that is none', file(resource('aws_vpc', 'a', [vpc('1')], { module: 'net' })), /module/, /state pull/],
    ['an index that is none', file(resource('aws_vpc', 'a', [vpc('1', { index_key: 1.5 })])), /index/, /state pull/],
    ['too deep', `{"a":${'['.repeat(200)}`, /deeper than 128/, /state pull/],
  ];
  for (const [name, text, says, next] of refused)
    test(name, () => {
      const read = readState(text);
      assert.ok('problem' in read, 'it was read');
      const { message, line, column } = read.problem;
      assert.match(`${line}:${column} ${message}`, says);
      assert.match(read.problem.next, next);
      assertHidden(read);
    });

  test('cut at any place, it is refused with the place of its end', () => {
    for (let end = 1; end < whole.length; end += 1) {
      const read = readState(whole.slice(0, end));
      assert.ok('problem' in read, `cut at ${end}`);
      assert.deepEqual([read.problem.line, read.problem.column], [1, end + 1], `cut at ${end}`);
    }
  });

  test('more instances than any state has are refused', () => {
    const many = Array.from({ length: mostInstances + 1 }, () => '{}').join(',');
    const read = readState(
      `{"version":4,"resources":[{"mode":"managed","type":"a","name":"b","instances":[${many}]}]}`,
    );
    assert.match('problem' in read ? read.problem.message : '', /more than 200000 resource instances/);
  });
});

test('a state of 50 MB is read in seconds, and little of it is kept', () => {
  const script = 'x'.repeat(5000);
  const one = (at: number) => vpc(`i-${at}`, { index_key: at, attributes: { user_data: script, id: `i-${at}` } });
  const text = file(
    resource(
      'aws_instance',
      'web',
      Array.from({ length: 10_000 }, (_, at) => one(at)),
    ),
  );
  assert.ok(text.length > 50_000_000);
  const before = process.memoryUsage().heapUsed;
  const read = readState(text);
  const grown = (process.memoryUsage().heapUsed - before) / 1e6;
  assert.equal('instances' in read && read.instances.length, 10_000);
  assert.ok(grown < 25, `${grown} MB more`);
});

const states = resolve(import.meta.dirname, '../../../..', process.env['SETPOINT_TERRAFORM'] ?? '../shared/terraform');
const shared = (() => {
  try {
    return readdirSync(states).filter((name) => name.endsWith('.tfstate'));
  } catch {
    return [];
  }
})();

test('states of many versions are read', {
  skip: shared.length === 0 && 'no states: name them with SETPOINT_TERRAFORM',
}, () => {
  for (const name of shared) {
    const read = readOf(readFileSync(join(states, name), 'utf8'));
    assert.ok(Object.keys(read).length > 0, name);
    const unread = Object.entries(read).filter(([, attributes]) => !('id' in attributes));
    for (const [address] of unread) assert.match(address, /^(?:aws_nat|aws_route|azurerm_resource_group)/, name);
  }
});
