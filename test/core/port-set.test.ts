import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coversPorts, formatPort, type PortRange, parsePorts, subtractPorts } from '../../src/core/port-set.ts';

const parses: readonly { name: string; items: readonly (string | number)[]; want: string | undefined }[] = [
  { name: 'a number', items: [443], want: '443' },
  { name: 'a number as text', items: ['443'], want: '443' },
  { name: 'a range', items: ['8000-8100'], want: '8000-8100' },
  { name: 'a range of one is that port', items: ['80-80'], want: '80' },
  { name: 'order does not matter (G17)', items: [443, 80], want: '80, 443' },
  { name: 'touching ports are one range', items: [80, 81], want: '80-81' },
  { name: 'touching ranges are one', items: ['81-90', '1-80'], want: '1-90' },
  { name: 'a port inside a range adds nothing (G16)', items: [22, '21-25'], want: '21-25' },
  { name: 'a range inside a range adds nothing', items: ['1-100', '50-60'], want: '1-100' },
  { name: 'a gap of one port keeps ranges apart', items: ['1-10', '12-20'], want: '1-10, 12-20' },
  { name: 'all ports (Z14)', items: ['0-65535'], want: '0-65535' },
  { name: 'no items, no ports', items: [], want: '' },
  { name: 'too large', items: [65536], want: undefined },
  { name: 'negative', items: [-1], want: undefined },
  { name: 'a fraction', items: [1.5], want: undefined },
  { name: 'descending', items: ['90-80'], want: undefined },
  { name: 'three ends (G20)', items: ['1-1-1'], want: undefined },
  { name: 'a word (G20)', items: ['abc'], want: undefined },
  { name: 'empty text (G20)', items: [''], want: undefined },
  { name: 'one bad item spoils the set', items: [80, 'x'], want: undefined },
  { name: 'blanks', items: ['80 - 90'], want: undefined },
  { name: 'exponent', items: ['1e3'], want: undefined },
];

for (const { name, items, want } of parses) {
  test(`ports: ${name}`, () => {
    const ports = parsePorts(items);
    assert.equal(ports && textOf(ports), want);
  });
}

const sets: readonly { name: string; a: readonly string[]; b: readonly string[]; rest: string }[] = [
  { name: 'nothing is left of itself', a: ['1-10'], b: ['1-10'], rest: '' },
  { name: 'a hole splits a range', a: ['1-10'], b: ['5'], rest: '1-4, 6-10' },
  { name: 'the low end goes', a: ['1-10'], b: ['0-5'], rest: '6-10' },
  { name: 'the high end goes', a: ['1-10'], b: ['8-65535'], rest: '1-7' },
  { name: 'a larger set leaves nothing', a: ['80', '443'], b: ['0-65535'], rest: '' },
  { name: 'sets apart change nothing', a: ['80'], b: ['443'], rest: '80' },
  { name: 'several holes', a: ['1-100'], b: ['10-20', '15-30', '90'], rest: '1-9, 31-89, 91-100' },
  { name: 'the same set, other spelling', a: ['80-81'], b: ['81', '80'], rest: '' },
];

for (const { name, a, b, rest } of sets) {
  test(`port sets: ${name}`, () => {
    assert.equal(textOf(subtractPorts(read(a), read(b))), rest);
    assert.equal(coversPorts(read(b), read(a)), rest === '');
  });
}

function textOf(ports: readonly PortRange[]): string {
  return ports.map(formatPort).join(', ');
}

function read(items: readonly string[]): readonly PortRange[] {
  const ports = parsePorts(items);
  assert.ok(ports);
  return ports;
}
