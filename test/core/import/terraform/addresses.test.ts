import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  givenName,
  instanceAddress,
  parseModule,
  resourceAddress,
} from '../../../../src/core/import/terraform/addresses.ts';

const of = (module: string, name: string, key?: string | number) => ({
  modules: parseModule(module) ?? assert.fail(module),
  type: 'aws_subnet',
  name,
  ...(key === undefined ? {} : { key }),
});

describe('addresses', () => {
  const rows: readonly (readonly [module: string, key: string | number | undefined, address: string, name: string])[] =
    [
      ['', undefined, 'aws_subnet.app', 'app'],
      ['', 0, 'aws_subnet.app[0]', 'app-0'],
      ['', 'a', 'aws_subnet.app["a"]', 'app-a'],
      ['', '', 'aws_subnet.app[""]', 'app'],
      ['module.net', 'a', 'module.net.aws_subnet.app["a"]', 'net-app-a'],
      [
        'module.net["eu-west-1"].module.b[2]',
        1,
        'module.net["eu-west-1"].module.b[2].aws_subnet.app[1]',
        'net-eu-west-1-b-2-app-1',
      ],
      ['module.net["a.module.b"]', undefined, 'module.net["a.module.b"].aws_subnet.app', 'net-a-module-b-app'],
      ['module.n["q\\"\\\\n"]', undefined, 'module.n["q\\"\\\\n"].aws_subnet.app', 'n-q-n-app'],
      ['', '10.0.0.0/24', 'aws_subnet.app["10.0.0.0/24"]', 'app-10-0-0-0-24'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Terraform's template, and none of this language
      ['', '${x}\n', 'aws_subnet.app["$${x}\\n"]', 'app-x'],
    ];
  for (const [module, key, address, name] of rows)
    test(address, () => {
      assert.equal(instanceAddress(of(module, 'app', key)), address);
      assert.equal(givenName(of(module, 'app', key)).name, name);
    });

  test('a resource is addressed without keys', () => {
    assert.equal(resourceAddress(of('module.net["a"].module.b[0]', 'app', 'x')), 'module.net.module.b.aws_subnet.app');
  });

  for (const text of [
    'net',
    'module.',
    'module.a.',
    'module.a["x]',
    'module.a[x]',
    'module.a b',
    'module.a["x"]y',
    'module.a.data.b',
  ])
    test(`no module: ${text}`, () => assert.equal(parseModule(text), undefined));
});

test('a key that Terraform escapes is the same after it was read and printed', () => {
  for (const key of ['a"b\\c', 'line\nend\t', 'no\u00a0break', '\u200b', '\u{e0001}', 'é日本 😀', '%{if}', '\u0007']) {
    const address = instanceAddress({ ...of('', 'app'), modules: [{ name: 'm', key }] });
    assert.deepEqual(parseModule(address.slice(0, -'.aws_subnet.app'.length)), [{ name: 'm', key }], address);
    assert.match(address, /^[^\p{C}\u00a0]+$/u, 'it is one line of what can be seen');
  }
  assert.equal(instanceAddress(of('', 'app', '\u200b\u{e0001}')), 'aws_subnet.app["\\u200b\\U000e0001"]');
});

describe('names', () => {
  test('the number of count is no part of the stem, a key of for_each is', () => {
    assert.deepEqual(givenName(of('', 'web', 3)), { name: 'web-3', stem: 'web', ordinal: 3 });
    assert.deepEqual(givenName(of('', 'web', 'a')), { name: 'web-a', stem: 'web-a' });
  });

  test('a name that is too long loses its first modules, and keeps the key', () => {
    const long = 'a'.repeat(40);
    assert.equal(givenName(of(`module.${long}.module.net`, 'app', 'key-of-this-one')).name, 'net-app-key-of-this-one');
    assert.equal(givenName(of('', 'app', 'k'.repeat(70))).name, 'k'.repeat(63));
  });

  test('a key without a Latin letter or digit leaves the name of the resource', () => {
    assert.equal(givenName(of('', 'app', '日本')).name, 'app');
  });
});
