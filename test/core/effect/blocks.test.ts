import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Cidr, parseCidr } from '../../../src/core/cidr.ts';
import { narrowestOf, regionsOf } from '../../../src/core/effect/blocks.ts';

const cidrs = (...texts: readonly string[]): readonly Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);
const nothing = { inside: [], withV6: false };

describe('regions of the world', () => {
  for (const [name, blocks, options, want] of [
    ['the world alone', [], nothing, ['0.0.0.0/0']],
    [
      'wide ones first',
      ['10.1.0.0/16', '192.0.2.0/24', '10.0.0.0/8'],
      nothing,
      ['0.0.0.0/0', '10.0.0.0/8', '10.1.0.0/16', '192.0.2.0/24'],
    ],
    ['without those that narrower ones cover', ['0.0.0.0/1', '128.0.0.0/1'], nothing, ['0.0.0.0/1', '128.0.0.0/1']],
    [
      'also through several steps',
      ['192.0.2.0/24', '192.0.2.0/25', '192.0.2.128/25'],
      nothing,
      ['0.0.0.0/0', '192.0.2.0/25', '192.0.2.128/25'],
    ],
    [
      'without what lies inside',
      ['10.0.1.0/24', '10.0.0.0/8'],
      { ...nothing, inside: ['10.0.0.0/16'] },
      ['0.0.0.0/0', '10.0.0.0/8'],
    ],
    ['without IPv6 unless asked for', ['2001:db8::/32'], nothing, ['0.0.0.0/0']],
    ['with IPv6', ['2001:db8::/32'], { ...nothing, withV6: true }, ['0.0.0.0/0', '::/0', '2001:db8::/32']],
  ] as const)
    test(name, () => {
      const regions = regionsOf(cidrs(...blocks), { ...options, inside: cidrs(...options.inside) });
      assert.deepEqual(
        regions.map(({ text }) => text),
        want,
      );
    });

  test('each knows those around it, the narrowest first', () => {
    const regions = regionsOf(cidrs('10.0.0.0/8', '10.1.0.0/16', '192.0.2.0/24'), nothing);
    assert.deepEqual(
      regions.map(({ within }) => within),
      [[], [0], [1, 0], [0]],
    );
  });
});

test('addresses in the same narrowest block are alike', () => {
  const place = narrowestOf(cidrs('10.0.0.0/8', '10.0.1.0/24', '2001:db8::/32'));
  const [a, b, c, d, e] = cidrs('10.0.1.1/32', '10.0.1.9/32', '10.0.2.1/32', '192.0.2.1/32', '2001:db8::1/128').map(
    place,
  );
  assert.equal(a, b);
  assert.equal(d, '');
  assert.equal(new Set([a, c, d, e]).size, 4);
});
