import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Kind } from '../../../src/core/resource.ts';
import { at, input, looked, ours, vpc, want } from './fixture.ts';

const standing = {
  network: ours('network', 'core', 'vpc-1', vpc()),
  subnet: ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} }),
  group: ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
} as const;

/** The kinds whose objects may stand in a thing, or name it: nothing proves that it is empty while they are not listed. */
const holds: readonly (readonly [parent: keyof typeof standing, name: string, users: readonly Kind[]])[] = [
  ['network', 'core', ['subnet', 'group', 'instance']],
  ['subnet', 'core.app', ['instance']],
  ['group', 'core.web', ['firewall-rule', 'instance']],
];

describe('nothing is deleted that something may still need', () => {
  for (const [parent, name, users] of holds) {
    const pruned = (gaps: readonly Kind[]) =>
      plan(
        input([], looked([standing[parent]], { gaps: gaps.map((kind) => ({ kind, code: 'x', reason: 'y' })) }), {
          choices: { prune: new Set([at(parent, name)]) },
        }),
      );
    test(`${parent}: goes where everything was listed`, () =>
      assert.deepEqual(
        pruned([]).actions.map(({ verb, kind }) => `${verb} ${kind}`),
        [`delete ${parent}`],
      ));
    for (const user of users)
      test(`${parent}: stays while ${user} was not listed completely, and says so`, () => {
        const { actions, findings } = pruned([user]);
        assert.deepEqual(actions, []);
        const why = findings.flatMap((finding) => (finding.type === 'withheld' ? [finding.why] : []));
        assert.match(why.join(' '), new RegExp(`${user} was not listed completely`));
      });
  }

  test('of several that need it the first by id is named, in whatever order the cloud lists them', () => {
    const subnets = ['subnet-2', 'subnet-1', 'subnet-3'].map((id, nth) =>
      ours('subnet', `core.s${nth}`, id, { network: 'vpc-1', cidr: `10.0.${nth}.0/24`, labels: {} }),
    );
    const wanted = subnets.map(({ attributes }, nth) =>
      want('subnet', `core.s${nth}`, { ...attributes, network: at('network', 'core') }),
    );
    const { findings } = plan(
      input(wanted, looked([standing.network, ...subnets]), { choices: { prune: new Set([at('network', 'core')]) } }),
    );
    const why = findings.flatMap((finding) => (finding.type === 'withheld' ? [finding.why] : []));
    assert.match(why.join(' '), /subnet \S*core\.s1 still needs it/);
  });
});
