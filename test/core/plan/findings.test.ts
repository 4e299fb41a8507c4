import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Terms } from '../../../src/core/desired.ts';
import type { Setting } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { appliedAs, at, input, looked, ours, want } from './fixture.ts';

const machineAt = (identity?: string, labels = {}) => ({
  placement: { subnet: 'subnet-1', publicIp: false },
  groups: [],
  machine: { image: 'i', size: 's', power: 'running' as const, ...(identity === undefined ? {} : { identity }) },
  labels,
});

/** The plan's actions and findings for one machine, `web-0`. */
function planned(spec: Machine, cloud: Machine, { unstated = [], before = spec, terms = {} }: More = {}) {
  const desired = want('instance', 'web-0', spec, terms);
  const seen = ours('instance', 'web-0', 'i-1', cloud);
  const observed = { ...seen, condition: { ...seen.condition, unstated } };
  const knowledge = appliedAs([observed], [want('instance', 'web-0', before)]);
  const { actions, findings } = plan(input([desired], looked([observed]), { knowledge }));
  return {
    changed: actions.flatMap((action) => ('changes' in action ? action.changes.map(({ field }) => field) : [])),
    told: findings.map((one) => `${one.type} ${'name' in one ? one.name : ''}`),
    findings,
  };
}

type Machine = ReturnType<typeof machineAt>;

interface More {
  readonly unstated?: readonly Setting[];
  /** As it was applied last; default: as it is wanted. */
  readonly before?: Machine;
  readonly terms?: Partial<Terms>;
}

const forwarding = { field: 'canIpForward', detail: 'may forward packets of others' };
const keys = { field: 'ssh-keys', detail: 'has other keys' };

describe('settings that no document states are told, and nothing is done about them', () => {
  const [none, web, db] = [machineAt(), machineAt('web'), machineAt('db')];
  const rows: readonly (readonly [string, ReturnType<typeof planned>, readonly string[], readonly string[]])[] = [
    ['nothing', planned(none, none), [], []],
    ['an identity where the spec names none', planned(none, web), [], ['unmanaged identity']],
    ['an identity that the spec names', planned(web, web), [], []],
    ['another identity than the spec names', planned(web, db), ['machine.identity'], []],
    ['an identity that the spec named until now', planned(none, web, { before: web }), ['machine.identity'], []],
    [
      'settings of the cloud',
      planned(none, none, { unstated: [forwarding, keys] }),
      [],
      ['unmanaged canIpForward', 'unmanaged ssh-keys'],
    ],
    [
      'settings beside a change',
      planned(machineAt(undefined, { tier: 'a' }), none, { unstated: [keys] }),
      ['labels.tier'],
      ['unmanaged ssh-keys'],
    ],
  ];
  for (const [name, { changed, told }, changes, findings] of rows)
    test(name, () => assert.deepEqual([changed, told], [changes, findings]));

  test('the finding names the resource, the setting within it, and what it is', () => {
    const [found] = planned(none, none, { unstated: [forwarding] }).findings;
    assert.deepEqual(found, {
      type: 'unmanaged',
      kind: 'instance',
      id: 'i-1/canIpForward',
      name: 'canIpForward',
      of: at('instance', 'web-0'),
      why: `${at('instance', 'web-0')} may forward packets of others, which its document does not state. It stays as it is.`,
      scope: 'aws/1/eu-1',
    });
  });

  const elastic = {
    field: 'elastic address',
    detail: 'has an Elastic IP address',
    statedBy: 'staticPublicIp',
  } as const;
  for (const [name, terms, says] of [
    ['an adopting document', { claim: { adopt: 'i-1' } }, 'which its document does not state. It stays as it is.'],
    [
      'any other document',
      {},
      'which only a document that adopts it can state. It stays as it is, until somebody changes it on the cloud.',
    ],
  ] as const)
    test(`the finding says whether ${name} can state the setting`, () => {
      const { findings } = planned(none, none, { unstated: [elastic], terms });
      assert.deepEqual(
        findings.map(({ why }) => why),
        [`${at('instance', 'web-0')} has an Elastic IP address, ${says}`],
      );
    });
});
