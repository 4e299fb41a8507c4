import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Desired } from '../../../src/core/desired.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { ignoredIn } from '../../../src/core/plan/ignored.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { IgnoreUnmanaged, PlanInput } from '../../../src/core/plan/plan-input.ts';
import { allow, at, input, looked, mark, ours, see, summary, vpc, want } from './fixture.ts';
import { rowed } from './run-cases.ts';

const terms = { owner: 'team-data', reason: 'moves in May', until: '2027-01-31' };
const entry = (criteria: Partial<IgnoreUnmanaged>): IgnoreUnmanaged => ({ ...terms, ...criteria });
const everything = entry({ name: '*' });
const eks = { why: 'service-child', detail: 'made by EKS for cluster a', maker: 'EKS' } as const;

const [core, web] = [at('network', 'core'), at('group', 'core.web')];
const net = want('network', 'core', vpc());
const group = want('group', 'core.web', { network: core, labels: {} });
const vpc1 = ours('network', 'core', 'vpc-1', vpc());
const sg1 = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
const theirs = see('network', 'vpc-9', vpc('10.9.0.0/16', { team: 'data' }), { name: 'batch-a' });
const theirGroup = see('group', 'sg-9', { network: 'vpc-9', labels: {} }, { name: 'eks-a', signs: { origin: eks } });
const rule = (id: string, container: string): Observed =>
  see('firewall-rule', id, allow(container, '22', ['0.0.0.0/0']), { signs: { container } });

function given(
  resources: readonly Observed[],
  ignoreUnmanaged: readonly IgnoreUnmanaged[],
  { desired = [], additive = false }: { readonly desired?: readonly Desired[]; readonly additive?: boolean } = {},
): PlanInput {
  const made = input(desired, looked(resources));
  return { ...made, wanted: { ...made.wanted, additive: new Set(additive ? [core] : []), ignoreUnmanaged } };
}

describe('an entry matches by all of its criteria', () => {
  const rows: readonly (readonly [criteria: Partial<IgnoreUnmanaged>, reported: readonly string[]])[] = [
    [{ kind: 'network' }, ['unmanaged sg-9', 'unmanaged sgr-9']],
    [{ id: 'vpc-9' }, ['unmanaged sg-9', 'unmanaged sgr-9']],
    [{ id: 'sg-9' }, ['unmanaged vpc-9']],
    [{ kind: 'group', id: 'sg-9' }, ['unmanaged sgr-9', 'unmanaged vpc-9']],
    [{ kind: 'firewall-rule', id: 'sg-9' }, ['unmanaged sg-9', 'unmanaged vpc-9']],
    [{ name: 'batch-*' }, ['unmanaged sg-9', 'unmanaged sgr-9']],
    [{ name: '*-a' }, []],
    [{ name: 'b*c*-*a' }, ['unmanaged sg-9', 'unmanaged sgr-9']],
    [{ name: 'batch' }, ['unmanaged sg-9', 'unmanaged sgr-9', 'unmanaged vpc-9']],
    [{ name: 'batch-a*a' }, ['unmanaged sg-9', 'unmanaged sgr-9', 'unmanaged vpc-9']],
    [{ name: 'b.*' }, ['unmanaged sg-9', 'unmanaged sgr-9', 'unmanaged vpc-9']],
    [{ label: 'team' }, ['unmanaged sg-9', 'unmanaged sgr-9']],
    [{ label: 'team=data' }, ['unmanaged sg-9', 'unmanaged sgr-9']],
    [{ label: 'team=web' }, ['unmanaged sg-9', 'unmanaged sgr-9', 'unmanaged vpc-9']],
    [{ label: 'constructor' }, ['unmanaged sg-9', 'unmanaged sgr-9', 'unmanaged vpc-9']],
    [{ origin: 'eks' }, ['unmanaged vpc-9']],
    [{ origin: 'service-child' }, ['unmanaged vpc-9']],
    [{ origin: 'EKS', name: 'batch-*' }, ['unmanaged sg-9', 'unmanaged sgr-9', 'unmanaged vpc-9']],
  ];
  for (const [criteria, reported] of rows)
    test(`${JSON.stringify(criteria)}: reported are ${reported.join(', ') || 'none'}`, () => {
      const made = given([theirs, theirGroup, rule('sgr-9', 'sg-9')], [entry(criteria)]);
      assert.deepEqual(summary(plan(made)).toSorted(), reported);
      assert.equal(ignoredIn(made), 3 - reported.length);
    });

  test('a name in a hostile pattern takes one pass', () => {
    const long = see('network', 'vpc-8', vpc(), { name: 'a'.repeat(255) });
    const made = given([long], [entry({ name: `${'*a'.repeat(100)}*b` })]);
    assert.deepEqual(summary(plan(made)), ['unmanaged vpc-8']);
  });
});

describe('an entry for everything covers unmanaged objects only', () => {
  const copied = see('network', 'vpc-7', vpc(), { signs: { mark: mark(core) } });
  const equalMark = see('network', 'vpc-6', vpc(), { signs: { mark: { estate: 'acme', store: 's1' } } });
  const ofOthers = see('network', 'vpc-5', vpc(), { signs: { mark: mark(core, { estate: 'beta' }) } });
  const adopting = want('group', 'core.web', { network: core, labels: {} }, { claim: { adopt: 'sg-9' } });
  const stated = want('firewall-rule', 'core.web ingress tcp 22 0.0.0.0/0', allow(web, '22', ['0.0.0.0/0']));
  const rows: readonly (readonly [name: string, PlanInput])[] = [
    ['our object that changed', given([ours('network', 'core', 'vpc-1', vpc('10.1.0.0/16'))], [], { desired: [net] })],
    ['an orphan of ours', given([vpc1], [])],
    [
      'a rule that nobody wrote, under authoritative',
      given([vpc1, sg1, rule('sgr-1', 'sg-1')], [], { desired: [net, group] }),
    ],
    [
      'a rule that nobody wrote, under additive',
      given([vpc1, sg1, rule('sgr-1', 'sg-1')], [], { desired: [net, group], additive: true }),
    ],
    ['a copied mark of ours', given([vpc1, copied], [], { desired: [net] })],
    ['a copied mark that names no address', given([equalMark], [])],
    ['an object of another estate', given([ofOthers], [], { desired: [net] })],
    [
      'an object that a document adopts, with its rules',
      given([vpc1, theirGroup, rule('sgr-9', 'sg-9')], [], { desired: [net, adopting] }),
    ],
    [
      'an object that a document adopts, with a rule that one states',
      given([vpc1, theirGroup, rule('sgr-9', 'sg-9')], [], { desired: [net, adopting, stated] }),
    ],
  ];
  for (const [name, without] of rows)
    test(name, () => {
      const withEntry = { ...without, wanted: { ...without.wanted, ignoreUnmanaged: [everything] } };
      assert.notDeepEqual([...summary(plan(without)), ...rowed(without)], []);
      assert.deepEqual(plan(withEntry), plan(without));
      assert.deepEqual(rowed(withEntry), rowed(without));
      assert.equal(ignoredIn(withEntry), 0);
    });

  test('a gap is reported, and a wanted name that an ignored object has blocks', () => {
    const taken = see('network', 'vpc-4', vpc(), { name: 'core' });
    const gap = { kind: 'instance', code: 'Denied', reason: 'no' } as const;
    const made = (ignoreUnmanaged: readonly IgnoreUnmanaged[]) => ({
      ...given([taken], ignoreUnmanaged, { desired: [net] }),
      observation: looked([taken], { gaps: [gap] }),
    });
    const left = (one: PlanInput) => plan(one).findings.filter(({ type }) => type !== 'unmanaged');
    assert.ok(left(made([])).length > 0);
    assert.deepEqual(left(made([everything])), left(made([])));
    assert.deepEqual(plan(made([everything])).actions, plan(made([])).actions);
  });
});

test('the row of an ignored object stays unmanaged, with owner, reason and last day', () => {
  const [row] = rowed(given([theirs], [everything]));
  assert.deepEqual(row?.whose, { claim: 'unmanaged', documents: [], ignored: terms });
  assert.deepEqual(
    [row?.state.status, row?.state.reason],
    ['Unmanaged', 'Ignored until 2027-01-31 for team-data: moves in May.'],
  );
});
