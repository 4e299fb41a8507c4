import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkPacket,
  type Filter,
  type FilterRule,
  filterGate,
  gate,
  type Packet,
  type Party,
} from '../../sandbox/packet.ts';

const packet: Packet = { protocol: 'tcp', port: 443 };
const peer: Party = { name: 'peer', address: '10.0.0.1', labels: ['web'] };
const rule = (name: string, action: 'allow' | 'deny', priority: number, hit = true): FilterRule => ({
  name,
  action,
  priority,
  covers: () => hit,
  matches: () => true,
});

const rows: readonly { readonly name: string; readonly filter: Filter; readonly want: boolean }[] = [
  { name: 'no rule, closed', filter: { rules: [], otherwise: 'deny' }, want: false },
  { name: 'no rule, open', filter: { rules: [], otherwise: 'allow' }, want: true },
  { name: 'an allow', filter: { rules: [rule('a', 'allow', 0)], otherwise: 'deny' }, want: true },
  { name: 'an allow for others', filter: { rules: [rule('a', 'allow', 0, false)], otherwise: 'deny' }, want: false },
  {
    name: 'the lower priority number wins',
    filter: { rules: [rule('d', 'deny', 200), rule('a', 'allow', 100)], otherwise: 'deny' },
    want: true,
  },
  {
    name: 'and the other way round',
    filter: { rules: [rule('a', 'allow', 200), rule('d', 'deny', 100)], otherwise: 'allow' },
    want: false,
  },
  {
    name: 'at a tie deny wins',
    filter: { rules: [rule('a', 'allow', 100), rule('d', 'deny', 100)], otherwise: 'allow' },
    want: false,
  },
];

describe('a filter', () => {
  for (const { name, filter, want } of rows) {
    it(name, () => assert.equal(checkPacket([filterGate('f', filter, packet, peer)]).allowed, want));
  }
});

describe('the gates', () => {
  it('are asked in order, up to the first that refuses', () => {
    const verdict = checkPacket([gate('one', true, 'yes'), gate('two', false, 'no'), gate('three', true, 'yes')]);
    assert.deepEqual(verdict, {
      allowed: false,
      steps: [
        { gate: 'one', allowed: true, reason: 'yes' },
        { gate: 'two', allowed: false, reason: 'no' },
      ],
    });
  });
});
