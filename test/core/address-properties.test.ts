import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { containsCidr, formatCidr, parseCidr } from '../../src/core/cidr.ts';
import { mergePorts, type PortRange, subtractPorts } from '../../src/core/port-set.ts';

const v4 = fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`);
const v6 = fc.tuple(fc.ipV6(), fc.nat(128)).map(([address, prefix]) => `${address}/${prefix}`);
const block = fc.oneof(v4, v6);

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
