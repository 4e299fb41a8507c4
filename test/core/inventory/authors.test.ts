import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action, Finding } from '../../../src/core/action.ts';
import {
  byNewest,
  healingOf,
  heardChanges,
  opens,
  ownChanges,
  parsePort,
} from '../../../src/core/inventory/authors.ts';
import type { HeardTouch } from '../../../src/core/last-modified.ts';
import type { Write } from '../../../src/core/ledger/writes.ts';
import type { RuleAttributes, RuleMatch } from '../../../src/core/resource.ts';
import { dialect, know } from '../plan/fixture.ts';

const ports: readonly (readonly [text: string, want: object | undefined])[] = [
  ['22', { port: 22 }],
  ['22/tcp', { port: 22, protocol: 'tcp' }],
  ['53/UDP', { port: 53, protocol: 'udp' }],
  ['0', { port: 0 }],
  ['65535', { port: 65_535 }],
  ['65536', undefined],
  ['22/http', undefined],
  ['web-0', undefined],
  ['22-23', undefined],
  ['', undefined],
];

describe('a port as people name it', () => {
  for (const [text, want] of ports) it(`${text || 'nothing'}`, () => assert.deepEqual(parsePort(text), want));
});

const rule = (match: Partial<RuleMatch>, more: Partial<RuleAttributes> = {}): RuleAttributes => ({
  network: 'vpc-1',
  match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '22', peers: ['0.0.0.0/0'], ...match },
  description: '',
  ...more,
});

const opening: readonly (readonly [name: string, rule: RuleAttributes, asked: string, want: boolean])[] = [
  ['the port itself', rule({}), '22', true],
  ['its protocol', rule({}), '22/tcp', true],
  ['another protocol', rule({}), '22/udp', false],
  ['another port', rule({}), '23', false],
  ['a range', rule({ ports: '20-25' }), '22', true],
  ['the end of a range', rule({ ports: '20-22' }), '22', true],
  ['past a range', rule({ ports: '20-21' }), '22', false],
  ['a list', rule({ ports: '80,20-25' }), '22', true],
  ['a list without it', rule({ ports: '80,443' }), '22', false],
  ['all ports', rule({ ports: 'all' }), '22', true],
  ['every protocol', rule({ protocol: 'all', ports: 'all' }), '22/udp', true],
  ['a protocol by its number', rule({ protocol: '6' }), '22/tcp', true],
  ['a number of a protocol without ports', rule({ protocol: '47', ports: 'all' }), '22', false],
  ['ICMP, whose numbers are no ports', rule({ protocol: 'icmp', ports: 'all' }), '22', false],
  ['several protocols', rule({ protocol: 'icmp,tcp', ports: 'icmp:all;tcp:22,80' }), '22/tcp', true],
  [
    'several protocols, and this one with others',
    rule({ protocol: 'tcp,udp', ports: 'tcp:80;udp:22' }),
    '22/tcp',
    false,
  ],
  ['source ports', rule({ ports: '22 from 5000' }), '22', true],
  ['source ports are none that it opens', rule({ ports: '80 from 22' }), '22', false],
  ['traffic that goes out', rule({ direction: 'egress' }), '22', false],
  ['a denial', rule({ action: 'deny' }), '22', false],
  ['a rule that is switched off', rule({}, { order: { priority: 1, disabled: true } }), '22', false],
];

describe('a rule opens a port', () => {
  for (const [name, one, asked, want] of opening)
    it(`${name}, ${asked}: ${want ? 'yes' : 'no'}`, () => {
      const port = parsePort(asked);
      assert.ok(port);
      assert.equal(opens(one, port), want);
    });
});

const touch = (who: string, at: number): HeardTouch => ({
  by: { who, action: 'Act', event: `e-${who}`, at },
  heardAt: at,
});

describe('the changes that events told of', () => {
  const knowing = (touches: Readonly<Record<string, HeardTouch>>) => ({
    knowledge: know([], { touches: new Map(Object.entries(touches)) }),
    dialect,
  });
  const told = (touches: Readonly<Record<string, HeardTouch>>, container?: string) =>
    heardChanges({ ids: ['sg-1 22', 'part'], container }, knowing(touches)).map((one) =>
      one.source === 'event' ? `${one.by.who}${one.container === undefined ? '' : ` in ${one.container}`}` : '',
    );

  it('are those of the object and of its parts', () =>
    assert.deepEqual(told({ 'sg-1 22': touch('eve', 1), part: touch('bob', 2), 'sg-1': touch('ann', 3) }, 'sg-1'), [
      'eve',
      'bob',
    ]));
  it('are one where one event names both', () =>
    assert.deepEqual(told({ 'sg-1 22': touch('eve', 1), part: touch('eve', 1) }), ['eve']));
  it('are that of its container where none names it, and say so', () =>
    assert.deepEqual(told({ 'sg-1': touch('ann', 3) }, 'sg-1'), ['ann in sg-1']));
  it('are none without a container or events', () => {
    assert.deepEqual(told({ 'sg-1': touch('ann', 3) }), []);
    assert.deepEqual(heardChanges({ ids: ['sg-1'] }, { knowledge: know([]), dialect }), []);
  });
  it('are found by the names of the cloud’s log', () => {
    const named = { ...dialect, names: { ...dialect.names, auditLogId: () => 'LOG' } };
    const { knowledge } = knowing({ LOG: touch('eve', 1) });
    assert.equal(heardChanges({ ids: ['sg-1'] }, { knowledge, dialect: named }).length, 1);
  });
});

it('our own changes are those that did not fail, and the newest object comes first', () => {
  const write = (outcome: Write['outcome'], at: number): Write => ({ outcome, at, calls: [] }) as unknown as Write; // why: the rest decides nothing here
  const changes = ownChanges([write('ok', 1), write('failed', 2), write('open', 3)]);
  assert.deepEqual(
    changes.map(({ at }) => at),
    [1, 3],
  );
  const of = (address: string, at?: number) => ({
    ...{ scope: 's', kind: 'network' as const, address },
    changes: at === undefined ? [] : ownChanges([write('ok', at)]),
  });
  const all = [of('d'), of('a', 1), of('c'), of('b', 2)].toSorted(byNewest);
  assert.deepEqual(
    all.map(({ address }) => address),
    ['b', 'a', 'c', 'd'],
  );
});

it('the drift of an object is found by its id, that of a missing one and what is withheld by the address', () => {
  const address = 'aws/1/eu/network/core';
  const about = { kind: 'network', address, documents: [], cause: 'drift' };
  // why: the rest of an action decides nothing here
  const action = (one: object): Action => ({ ...about, ...one }) as unknown as Action;
  const update = action({ verb: 'update', observed: { id: 'vpc-1' } });
  const held: Finding = {
    ...{ type: 'withheld', address, kind: 'network', action: 'update', code: 'mode', why: '', scope: 's' },
    cause: 'drift',
  };
  const of = (id: string | undefined, actions: readonly Action[], findings: readonly Finding[] = []) =>
    healingOf({ id, address }, { actions, findings });
  assert.equal(of('vpc-1', [update]), 'undoes');
  assert.equal(of('vpc-2', [update]), undefined);
  assert.equal(of(undefined, [action({ verb: 'create' })]), 'undoes');
  assert.equal(of('vpc-1', [], [held]), 'withheld');
  assert.equal(healingOf({ id: 'vpc-9', address: undefined }, { actions: [], findings: [held] }), undefined);
});
