import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Cidr, overlapsCidr, parseCidr } from '../../../src/core/cidr.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Allowed, Wanted } from '../../../src/core/plan/plan-input.ts';
import type { Rollout } from '../../../src/core/rollout.ts';
import { allow, at, input, looked, vpc, want } from './fixture.ts';
import { emptyScope, holding, planOf, rollOn } from './roll-on.ts';
import { lastOf, told } from './rollouts.ts';

const net = want('network', 'core', vpc());
const subnet = want('subnet', 'core.app', { network: net.address, cidr: '10.0.1.0/24', labels: {} });
const [web, lb] = ['core.web', 'core.lb'].map((name) => want('group', name, { network: net.address, labels: {} }));
assert.ok(web && lb);
const ground = [net, subnet, web, lb];

/** One atom of a rule document: ports, in a group, for a block. */
const atom = (document: string, port: number | string, group = web.address, block = '10.0.0.0/8'): Desired => ({
  ...want('firewall-rule', `${lastOf(group)} ingress tcp ${port} ${block}`, allow(group, `${port}`, [block]), {
    deletionPolicy: 'delete',
  }),
  documents: [{ address: at('firewall-rule', document), file: 'specs/a.yaml', line: 1 }],
});
const atoms = (document: string, ports: readonly number[]): readonly Desired[] =>
  ports.map((port) => atom(document, port));
const box = (ordinal: number, group: string): Desired =>
  want('instance', `box-${ordinal}`, {
    placement: { subnet: subnet.address, publicIp: false },
    groups: [group],
    machine: { image: 'a', size: 's', power: 'running' },
    labels: {},
  });

const unless = (rollout: Rollout | undefined) => (rollout === undefined ? {} : { rollout });

/** What is wanted, with the waves of some documents (by name) and of the target. */
function wanting(desired: readonly Desired[], waves: Readonly<Record<string, Rollout>>, ofTarget?: Rollout): Wanted {
  const base = input(desired, looked([])).wanted;
  const named = Object.keys(waves).map((name) => at(name.startsWith('box') ? 'instance' : 'firewall-rule', name));
  const documents = new Map(
    [...new Set([...base.documents.keys(), ...named])].map((address): [string, Allowed] => [
      address,
      { mode: 'plan', protect: false, targets: ['prod'], ...unless(waves[address.split('/').at(-1) ?? '']) },
    ]),
  );
  return { ...base, documents, ...unless(ofTarget) };
}

const passesOf = (wanted: Wanted, from: readonly Desired[]): readonly (readonly string[])[] =>
  rollOn(wanted, holding(from)).map(({ plan }) => plan.actions.map(({ verb, address }) => `${verb} ${short(address)}`));
const short = (address: string): string => lastOf(address).replace(/ ingress tcp ([\d-]+) .*/, ' $1');

describe('waves of rules', () => {
  it('a rule that moves on: its new atoms go in waves, and no old one before the last of them', () => {
    const wanted = wanting([...ground, ...atoms('core.in', [1, 2, 3, 4])], { 'core.in': [1, 2, 'rest'] });
    assert.deepEqual(passesOf(wanted, [...ground, ...atoms('core.in', [8, 9])]), [
      ['create core.web 1'],
      ['create core.web 2', 'create core.web 3'],
      ['create core.web 4', 'delete core.web 8', 'delete core.web 9'],
      [],
    ]);
  });

  it('an old atom of one document waits for the new ones of another in its group, though its own wave has come', () => {
    const desired = [...ground, ...atoms('core.a', [1]), ...atoms('core.b', [2, 3])];
    const wanted = wanting(desired, { 'core.a': [5], 'core.b': [1, 'rest'] });
    const from = [...ground, atom('core.a', '1-8')];
    const [first] = rollOn(wanted, holding(from));
    assert.deepEqual(first && told(first.plan), [
      'create core.web ingress tcp 1 10.0.0.0/8',
      'create core.web ingress tcp 2 10.0.0.0/8',
      '1 wave: comes after firewall-rule core.web ingress tcp 3 10.0.0.0/8, which waits for its wave.',
      '1 wave: wave 1 of 2: 0 of 2 done; waits for core.web ingress tcp 2 10.0.0.0/8',
    ]);
    assert.deepEqual(passesOf(wanted, from).slice(1), [['create core.web 3', 'delete core.web 1-8'], []]);
  });

  it('a machine changes groups only after the last wave of the rules that name its new one, and their old ones go after it', () => {
    const old = [atom('core.in', 1), atom('core.in', 2)];
    const moved = [atom('core.in', 1, lb.address), atom('core.in', 2, lb.address)];
    const wanted = wanting([...ground, ...moved, box(0, lb.address), box(1, lb.address)], {
      'core.in': [1, 'rest'],
      box: [1, 'rest'],
    });
    assert.deepEqual(passesOf(wanted, [...ground, ...old, box(0, web.address), box(1, web.address)]), [
      ['create core.lb 1'],
      ['create core.lb 2', 'update box-0'],
      ['update box-1', 'delete core.web 1', 'delete core.web 2'],
      [],
    ]);
  });
});

describe('waves of a target', () => {
  it('a whole scope goes by the rollout of its target: parents first, and a document with its own waves by those', () => {
    const desired = [...ground, ...atoms('core.in', [1, 2]), box(0, web.address), box(1, web.address)];
    const wanted = wanting(desired, { box: [1, 'rest'] }, [1, 2, 'rest']);
    assert.deepEqual(
      rollOn(wanted, emptyScope).map(({ plan }) => plan.actions.map(({ address }) => short(address))),
      [['core'], ['core.app', 'core.lb'], ['core.web', 'core.web 1', 'core.web 2', 'box-0'], ['box-1'], []],
    );
    const [first] = rollOn(wanted, emptyScope);
    const whys = new Set(first?.plan.findings.map(({ why }) => why));
    assert.deepEqual([...whys].toSorted(), [
      'comes after subnet core.app, which waits for its wave.',
      'wave 1 of 2: 0 of 2 done; waits for box-0',
      'wave 1 of 3 of this scope: 0 of 6 done; waits for core',
    ]);
  });

  it('a document that says `then: [rest]` is spared the waves of its target', () => {
    const wanted = wanting([...ground, ...atoms('core.in', [1, 2, 3])], { 'core.in': ['rest'] }, [1, 1, 'rest']);
    const [first] = rollOn(wanted, holding(ground));
    assert.equal(first?.plan.actions.length, 3);
  });

  it('an atom that another document without waves wants too goes at once', () => {
    const shared: Desired = {
      ...atom('core.in', 2),
      documents: [...atom('core.in', 2).documents, ...atom('core.b', 2).documents],
    };
    const wanted = wanting([...ground, atom('core.in', 1), shared, atom('core.in', 3)], { 'core.in': [1, 1, 'rest'] });
    assert.deepEqual(passesOf(wanted, ground)[0], ['create core.web 1', 'create core.web 2']);
  });

  it('what no document speaks of any more goes in the waves of the target', () => {
    const gone = atoms('core.gone', [1, 2, 3, 4]);
    const [first] = rollOn(wanting([], {}, [2, 'rest']), holding([...ground, ...gone]));
    assert.deepEqual(
      first?.plan.actions.map(({ verb, address }) => `${verb} ${short(address)}`),
      ['delete core.web 1', 'delete core.web 2'],
    );
  });
});

/** Of which some contain others: rules for those speak of the same traffic. */
const blocks = ['0.0.0.0/0', '10.0.0.0/8', '10.1.0.0/16', '10.1.1.0/24', '10.2.0.0/16', '192.168.0.0/16'] as const;
const overlap = (one: string, other: string): boolean =>
  [one, other].every((text) => parseCidr(text)) &&
  overlapsCidr(parseCidr(one) ?? everywhere, parseCidr(other) ?? everywhere);
const everywhere: Cidr = { family: 4, base: 0n, prefix: 0 };
const blockOf = (address: string): string => address.split(' ').at(-1) ?? '';

/** Blocks of the documents a and b, before and after, and their waves. */
const some = fc.uniqueArray(fc.constantFrom(...blocks), { maxLength: 6 });
const waves = fc.oneof(
  fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  fc.constant<Rollout>([1, { share: 0.3 }, 'rest']),
);
const change = fc.record({
  a: some,
  b: some,
  thenA: some,
  thenB: some,
  ofA: waves,
  ofB: waves,
  ofTarget: fc.option(waves),
});

/** Atoms of two documents, of which equal ones are one with both. */
function united(a: readonly string[], b: readonly string[]): readonly Desired[] {
  const letIn = (document: string) => (block: string) => atom(document, 443, undefined, block);
  const all = [...a.map(letIn('core.a')), ...b.map(letIn('core.b'))];
  return [...Map.groupBy(all, ({ address }) => address).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, documents: [first, ...others].flatMap(({ documents }) => documents) }],
  );
}

it('whatever the waves: no atom goes before its successors stand, none that stays is touched, and all is done in the end', () => {
  fc.assert(
    fc.property(change, ({ a, b, thenA, thenB, ofA, ofB, ofTarget }) => {
      const wanted = wanting(
        [...ground, ...united(thenA, thenB)],
        { 'core.a': ofA, 'core.b': ofB },
        ofTarget ?? undefined,
      );
      const from = [...ground, ...united(a, b)];
      const aim = new Set(wanted.desired.map(({ address }) => address));
      const passes = rollOn(wanted, holding(from));
      for (const { before, plan } of passes) {
        const made = new Set(plan.actions.flatMap(({ verb, address }) => (verb === 'create' ? [address] : [])));
        const gone = plan.actions.filter(({ verb }) => verb === 'delete');
        assert.ok(gone.every(({ address }) => !aim.has(address)));
        const isThere = (address: string): boolean => before.there.has(address) || made.has(address);
        for (const { address } of gone.filter(({ kind }) => kind === 'firewall-rule'))
          assert.ok([...aim].every((other) => isThere(other) || !overlap(blockOf(address), blockOf(other))));
      }
      const last = passes.at(-1);
      assert.deepEqual([...(last?.before.there.keys() ?? [])].toSorted(), [...aim].toSorted());
      assert.equal(last?.plan.findings.length, 0);
    }),
    { numRuns: 150 },
  );
});

it('the same world gives the same wave, whatever the order of documents and listings', () => {
  const desired = [...ground, ...atoms('core.in', [1, 2, 3, 4])];
  const waves = { 'core.in': [1, 2, 'rest'] } as const;
  const from = holding([...ground, ...atoms('core.in', [8, 9])]);
  const turned = { there: new Map([...from.there].toReversed()), applied: from.applied };
  assert.deepEqual(planOf(wanting(desired.toReversed(), waves), turned), planOf(wanting(desired, waves), from));
});
