import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { type Cidr, containsCidr, formatCidr, overlapsCidr, parseBlock, parseCidr } from '../../src/core/cidr.ts';
import { mergePorts, type PortRange, subtractPorts } from '../../src/core/port-set.ts';

const canonical: readonly { name: string; text: string; want: string | undefined }[] = [
  { name: 'a canonical IPv4 block is kept', text: '10.20.0.0/16', want: '10.20.0.0/16' },
  { name: 'the whole IPv4 space', text: '0.0.0.0/0', want: '0.0.0.0/0' },
  { name: 'the whole IPv6 space', text: '::/0', want: '::/0' },
  { name: 'one address', text: '255.255.255.255/32', want: '255.255.255.255/32' },
  { name: 'host bits are cleared (A20, A44)', text: '100.68.0.18/18', want: '100.68.0.0/18' },
  { name: 'host bits are cleared in a /31 (A22)', text: '192.168.0.1/31', want: '192.168.0.0/31' },
  { name: 'IPv6 is lower case and compressed (A23)', text: '2001:DB8:0:0::/32', want: '2001:db8::/32' },
  {
    name: 'IPv6 in full (G07)',
    text: '2600:2900:3070:BE4:6000:0:0:0/128',
    want: '2600:2900:3070:be4:6000::/128',
  },
  { name: 'leading zeros of a group go', text: '2001:0db8::0001/128', want: '2001:db8::1/128' },
  { name: 'a single zero group is not compressed', text: '2001:db8:0:1:1:1:1:1/128', want: '2001:db8:0:1:1:1:1:1/128' },
  {
    name: 'the first of two equal runs is compressed',
    text: '2001:db8:0:0:1:0:0:1/128',
    want: '2001:db8::1:0:0:1/128',
  },
  { name: 'the longer run is compressed', text: '2001:0:0:1:0:0:0:1/128', want: '2001:0:0:1::1/128' },
  { name: 'a mapped IPv4 address stays dotted', text: '::FFFF:10.0.0.1/128', want: '::ffff:10.0.0.1/128' },
  { name: 'an embedded IPv4 address elsewhere is hex', text: '64:ff9b::192.0.2.33/128', want: '64:ff9b::c000:221/128' },
  { name: 'IPv6 host bits are cleared', text: '2001:db8::ffff/32', want: '2001:db8::/32' },
  { name: 'no mask (A25)', text: '10.0.0.1', want: undefined },
  { name: 'an IPv6 address without a mask', text: '::1', want: undefined },
  { name: 'mask too long', text: '10.0.0.0/33', want: undefined },
  { name: 'IPv6 mask too long', text: '::/129', want: undefined },
  { name: 'mask with a leading zero', text: '10.0.0.0/08', want: undefined },
  { name: 'negative mask', text: '10.0.0.0/-1', want: undefined },
  { name: 'empty mask', text: '10.0.0.0/', want: undefined },
  { name: 'two masks', text: '10.0.0.0/8/8', want: undefined },
  { name: 'octet with a leading zero', text: '010.0.0.0/8', want: undefined },
  { name: 'octet too large', text: '256.0.0.0/8', want: undefined },
  { name: 'three octets', text: '10.0.0/8', want: undefined },
  { name: 'blank in front', text: ' 10.0.0.0/8', want: undefined },
  { name: 'line end behind', text: '10.0.0.0/8\n', want: undefined },
  { name: 'hex in IPv4', text: '0x0a.0.0.0/8', want: undefined },
  { name: 'two ::', text: '1::2::3/64', want: undefined },
  { name: 'three colons', text: ':::/64', want: undefined },
  { name: 'nine groups', text: '1:2:3:4:5:6:7:8:9/64', want: undefined },
  { name: 'seven groups', text: '1:2:3:4:5:6:7/64', want: undefined },
  { name: ':: that stands for nothing', text: '1:2:3:4::5:6:7:8/64', want: undefined },
  { name: 'group of five digits', text: '12345::/64', want: undefined },
  { name: 'zone id', text: 'fe80::1%eth0/64', want: undefined },
  { name: 'IPv4 in the middle', text: '::10.0.0.1:1/64', want: undefined },
  { name: 'IPv4 in front of ::', text: '10.0.0.1::/64', want: undefined },
  { name: 'one colon in front', text: ':1:2:3:4:5:6:7/64', want: undefined },
  { name: 'empty', text: '', want: undefined },
  { name: 'only a slash', text: '/', want: undefined },
];

for (const { name, text, want } of canonical) {
  test(`cidr: ${name}`, () => {
    const cidr = parseCidr(text);
    assert.equal(cidr && formatCidr(cidr), want);
  });
}

const relations: readonly { name: string; a: string; b: string; contains: boolean; overlaps: boolean }[] = [
  { name: 'a block contains itself', a: '10.0.0.0/8', b: '10.0.0.0/8', contains: true, overlaps: true },
  { name: 'a smaller block inside', a: '10.0.0.0/8', b: '10.1.0.0/16', contains: true, overlaps: true },
  { name: 'a larger block around', a: '10.1.0.0/16', b: '10.0.0.0/8', contains: false, overlaps: true },
  { name: 'neighbours', a: '10.0.0.0/9', b: '10.128.0.0/9', contains: false, overlaps: false },
  { name: 'everything contains everything', a: '0.0.0.0/0', b: '255.255.255.255/32', contains: true, overlaps: true },
  { name: 'IPv6 inside', a: '2001:db8::/32', b: '2001:db8:1::/48', contains: true, overlaps: true },
  { name: 'IPv6 apart', a: '2001:db8::/32', b: '2001:db9::/32', contains: false, overlaps: false },
  { name: 'families never meet', a: '::/0', b: '0.0.0.0/0', contains: false, overlaps: false },
];

for (const { name, a, b, contains, overlaps } of relations) {
  test(`cidr: ${name}`, () => {
    assert.equal(containsCidr(read(a), read(b)), contains);
    assert.equal(overlapsCidr(read(a), read(b)), overlaps);
    assert.equal(overlapsCidr(read(b), read(a)), overlaps, 'overlap is symmetric');
  });
}

function read(text: string): Cidr {
  const cidr = parseCidr(text);
  assert.ok(cidr, text);
  return cidr;
}

const v4 = fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`);
const v6 = fc.tuple(fc.ipV6(), fc.nat(128)).map(([address, prefix]) => `${address}/${prefix}`);
const block = fc.oneof(v4, v6);

for (const [text, want] of [
  ['10.0.0.1', '10.0.0.1/32'],
  ['10.0.0.1/8', '10.0.0.0/8'],
  ['2001:DB8::1', '2001:db8::1/128'],
  ['2001:DB8::1/32', '2001:db8::/32'],
  ['AzureLoadBalancer', undefined],
  ['10.0.0.1/33', undefined],
  ['10.0.0.0/8/8', undefined],
  ['', undefined],
] as const)
  test(`cidr: a block or a bare address: ${text}`, () => {
    const block = parseBlock(text);
    assert.equal(block && formatCidr(block), want);
  });

test('cidr: another implementation reads the same block and writes the same text', () => {
  fc.assert(
    fc.property(block, (text) => {
      const ours = parseCidr(text);
      assert.ok(ours, text);
      const [address, prefix] = ipaddr.parseCIDR(text);
      const network =
        address.kind() === 'ipv6' ? ipaddr.IPv6.networkAddressFromCIDR(text) : ipaddr.IPv4.networkAddressFromCIDR(text);
      // Mapped IPv4 is the one place where that library keeps to hex and we write the dotted form.
      const mapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress();
      const wanted = mapped ? `::ffff:${network.toIPv4Address().toString()}` : network.toString();
      assert.equal(formatCidr(ours), `${wanted}/${prefix}`);
    }),
    { numRuns: 500, seed: 1 },
  );
});

test('cidr: what is formatted reads back as the same block', () => {
  fc.assert(
    fc.property(block, (text) => {
      const once = parseCidr(text);
      assert.ok(once);
      assert.deepEqual(parseCidr(formatCidr(once)), once);
    }),
    { numRuns: 500, seed: 2 },
  );
});

test('cidr: containing goes both ways only for equal blocks', () => {
  fc.assert(
    fc.property(block, block, (one, other) => {
      const [a, b] = [parseCidr(one), parseCidr(other)];
      assert.ok(a && b);
      assert.equal(containsCidr(a, b) && containsCidr(b, a), formatCidr(a) === formatCidr(b));
    }),
    { numRuns: 500, seed: 3 },
  );
});

const range = fc.tuple(fc.nat(40), fc.nat(10)).map(([from, more]): PortRange => ({ from, to: from + more }));
const ranges = fc.array(range, { maxLength: 6 });

const numbers = (all: readonly PortRange[]): ReadonlySet<number> =>
  new Set(all.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)));

test('ports: merging and subtracting are what they are on sets of numbers', () => {
  fc.assert(
    fc.property(ranges, ranges, (a, b) => {
      assert.deepEqual(numbers(mergePorts(a)), new Set([...numbers(a)].toSorted((x, y) => x - y)));
      const left = [...numbers(a)].filter((port) => !numbers(b).has(port));
      assert.deepEqual(
        [...numbers(subtractPorts(a, b))],
        left.toSorted((x, y) => x - y),
      );
    }),
    { numRuns: 500, seed: 4 },
  );
});
