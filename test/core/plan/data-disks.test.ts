import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Action, Finding } from '../../../src/core/action.ts';
import type { DataDisk, Observed } from '../../../src/core/observed.ts';
import { dataDisksHold } from '../../../src/core/plan/data-disks.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import {
  appliedAs,
  at,
  dialect,
  ground,
  input,
  know,
  looked,
  mark,
  ours,
  see,
  settle,
  summary,
  want,
  wantedGround,
} from './fixture.ts';

const kept: DataDisk = { id: 'vol-kept', isDeletedWithMachine: false };
const going: DataDisk = { id: 'vol-going', isDeletedWithMachine: true };

const machineAt = (image: string, on: string, more: { readonly size?: string; readonly tier?: string } = {}) => ({
  placement: { subnet: on, publicIp: false },
  groups: [],
  machine: { image, size: more.size ?? 's', power: 'running' as const },
  labels: { tier: more.tier ?? 'web' },
});
const app = at('subnet', 'core.app');
const wanted = (image: string, more = {}) => want('instance', 'web-0', machineAt(image, app, more));

const withDisks = (observed: Observed<'instance'>, disks: readonly DataDisk[]): Observed<'instance'> => ({
  ...observed,
  condition: { state: 'ready', ephemeral: false, ...(disks.length === 0 ? {} : { dataDisks: disks }) },
});
const machine = (disks: readonly DataDisk[], name = 'web-0') =>
  withDisks(ours('instance', name, 'i-1', machineAt('old', 'subnet-1')), disks);

const short = ({ actions, findings }: { readonly actions: readonly Action[]; readonly findings: readonly Finding[] }) =>
  summary({ scope: '', actions, findings, calls: { predicted: 0 } });

/** The ways in which a plan would end a machine; each with what it gives where nothing is in the way. */
const ends: Readonly<
  Record<
    string,
    {
      readonly given: (disks: readonly DataDisk[]) => PlanInput;
      readonly free: string;
      readonly held: string;
      /** True where a disk that the cloud keeps is in the way too. */
      readonly replaces: boolean;
    }
  >
> = {
  'a spec asks for another image': {
    given: (disks) => lookedAt(disks, wanted('new'), wanted('old')),
    free: 'replace instance/web-0',
    held: 'blocked instance/web-0: immutable',
    replaces: true,
  },
  'somebody rebuilt it from another image': {
    given: (disks) => lookedAt(disks, wanted('new'), wanted('new')),
    free: 'withheld instance/web-0: destructive-drift',
    held: 'blocked instance/web-0: immutable',
    replaces: true,
  },
  'somebody approved the replacement of that': {
    given: (disks) => ({
      ...lookedAt(disks, wanted('new'), wanted('new')),
      choices: { approved: () => true },
    }),
    free: 'replace instance/web-0',
    held: 'blocked instance/web-0: immutable',
    replaces: true,
  },
  'fewer replicas': {
    given: (disks) => {
      const one = machine(disks, 'web-1');
      const keeper = ours('instance', 'web-0', 'i-0', machineAt('old', 'subnet-1'));
      const all = [...ground, keeper, one];
      return input([...wantedGround, wanted('old')], looked(all), { knowledge: appliedAs(all, [wanted('old')]) });
    },
    free: 'delete instance/web-1 (scaled-down)',
    held: 'withheld instance/web-1: data-disks',
    replaces: false,
  },
  'its document is gone, and said delete': {
    given: (disks) => {
      const all = [...ground, machine(disks)];
      const { settled } = know(all);
      const terms = settle('instance', at('instance', 'web-0'), { deletionPolicy: 'delete' });
      return input(wantedGround, looked(all), {
        knowledge: know(all, { settled: new Map([...settled, ['i-1', terms]]) }),
      });
    },
    free: 'delete instance/web-0 (removed)',
    held: 'withheld instance/web-0: data-disks',
    replaces: false,
  },
  'a person prunes it': {
    given: (disks) =>
      input(wantedGround, looked([...ground, machine(disks)]), {
        choices: { prune: new Set([at('instance', 'web-0')]), approved: () => true },
      }),
    free: 'delete instance/web-0 (pruned)',
    held: 'withheld instance/web-0: data-disks',
    replaces: false,
  },
  'a successor that is asked for no more': {
    given: (disks) => {
      const old = ours('instance', 'web-0', 'i-0', machineAt('old', 'subnet-1'));
      const next = withDisks(ours('instance', 'web-0', 'i-1', machineAt('new', 'subnet-1')), disks);
      const all = [...ground, old, next];
      const { settled } = know(all);
      const known = { ...settle('instance', at('instance', 'web-0')), lastWriteAt: 1 };
      const successor = { ...known, terms: { ...known.terms, successorOf: 'i-0' } };
      return input([...wantedGround, wanted('old')], looked(all), {
        knowledge: { ...appliedAs(all, [wanted('new')]), settled: new Map([...settled, ['i-1', successor]]) },
      });
    },
    free: 'delete instance/web-0 (withdrawn)',
    held: 'withheld instance/web-0: data-disks',
    replaces: false,
  },
};

function lookedAt(
  disks: readonly DataDisk[],
  desired: ReturnType<typeof wanted>,
  before: ReturnType<typeof wanted>,
): PlanInput {
  const all = [...ground, machine(disks)];
  return input([...wantedGround, desired], looked(all), { knowledge: appliedAs(all, [before]) });
}

describe('no plan ends a machine whose data disks would be lost', () => {
  for (const [name, { given, free, held, replaces }] of Object.entries(ends)) {
    const rows: readonly (readonly [string, readonly DataDisk[], string])[] = [
      ['no data disk', [], free],
      ['one that stays', [kept], replaces ? held : free],
      ['one that goes', [going], held],
      ['one of each', [kept, going], held],
    ];
    for (const [disks, given_, wish] of rows)
      test(`${name}; ${disks}: ${wish}`, () => assert.deepEqual(short(plan(given(given_))), [wish]));
  }
});

describe('other changes of a machine with data disks go on', () => {
  it('a label is healed beside another image, which stays', () => {
    const got = plan(lookedAt([going], wanted('new', { tier: 'db' }), wanted('old', { tier: 'db' })));
    assert.deepEqual(short(got), ['update instance/web-0', 'blocked instance/web-0: immutable']);
    const [update] = got.actions;
    assert.deepEqual(update?.verb === 'update' && update.changes.map(({ field }) => field), ['labels.tier']);
  });
  it('another size stops and starts it: its disks stay', () =>
    assert.deepEqual(short(plan(lookedAt([going], wanted('old', { size: 'l' }), wanted('old')))), [
      'update instance/web-0',
    ]));
  it('one that died is made anew: the cloud has decided about its disks already', () => {
    for (const state of ['gone', 'deleting'] as const) {
      const dead: Observed = { ...machine([going]), condition: { state, dataDisks: [going] } };
      const all = [...ground, dead];
      const given = input([...wantedGround, wanted('old')], looked(all), {
        knowledge: appliedAs(all, [wanted('old')]),
      });
      assert.deepEqual(short(plan(given)), ['create instance/web-0', 'forget instance/web-0 (gone)']);
    }
  });
  it('it is adopted as it stands', () => {
    const free = withDisks(see('instance', 'i-1', machineAt('old', 'subnet-1')), [going]);
    const desired = want('instance', 'web-0', machineAt('old', app), { claim: { adopt: 'i-1' } });
    assert.deepEqual(short(plan(input([...wantedGround, desired], looked([...ground, free])))), [
      'adopt instance/web-0',
    ]);
  });
});

describe('a replacement that was begun before the disk was attached', () => {
  const surging = { ...dialect, holds: { ...dialect.holds, replace: 'surge' as const } };
  const given = (disks: readonly DataDisk[]): PlanInput => {
    const next = ours('instance', 'web-0', 'i-2', machineAt('new', 'subnet-1'));
    const all = [...ground, machine(disks), next];
    const { settled } = know(all);
    const known = settle('instance', at('instance', 'web-0'));
    const successor = { ...known, terms: { ...known.terms, successorOf: 'i-1' } };
    const knowledge = { ...appliedAs(all, [wanted('old')]), settled: new Map([...settled, ['i-2', successor]]) };
    return { ...input([...wantedGround, wanted('new')], looked(all), { knowledge }), dialect: surging };
  };
  it('goes on without one', () => assert.deepEqual(short(plan(given([]))), ['replace instance/web-0']));
  for (const disk of [kept, going])
    it(`stops with ${disk.id}: both machines stand`, () =>
      assert.deepEqual(short(plan(given([disk]))), ['blocked instance/web-0: immutable']));
});

describe('the reasons', () => {
  it('a deletion names the disks, the setting of each cloud, and the ways on', () => {
    const [found] = plan(
      ends['a person prunes it']?.given([kept, going, { ...going, id: 'vol-z' }]) ?? never(),
    ).findings;
    assert.equal(
      found?.why,
      'the cloud would delete the data disks vol-going, vol-z with it, and Setpoint deletes no data disk. Detach them, or make the cloud keep them (AWS: DeleteOnTermination, Google Cloud: autoDelete, Azure: deleteOption); or delete the machine by hand.',
    );
  });
  it('a replacement names the field, the disks and the line that keeps it', () => {
    const [found] = plan(lookedAt([kept], wanted('new'), wanted('old'))).findings;
    assert.equal(
      found?.why,
      'machine.image is "old", wanted "new". Only a new machine can have the desired value, and Setpoint replaces no machine with data disks: it has the data disk vol-kept. Keep the current value: write `image: old` in specs/a.yaml:1, or detach it, or give the new machine a new name and move over.',
    );
  });
  it('the hold alone withholds a replacement, from any cause', () => {
    const [action] = plan(lookedAt([], wanted('new'), wanted('old'))).actions;
    const replace = action?.verb === 'replace' ? action : never();
    assert.equal(dataDisksHold(replace), undefined);
    const held = dataDisksHold({ ...replace, observed: withDisks(machine([]), [kept]) });
    assert.equal(held?.code, 'data-disks');
    assert.equal(
      held?.why,
      'it has the data disk vol-kept, and Setpoint replaces no machine with data disks. Detach it first.',
    );
  });
});

test('a machine of nobody, of another estate, or retained is not told of', () => {
  const retained = input(wantedGround, looked([...ground, machine([going])]));
  assert.deepEqual(short(plan(retained)), ['orphan i-1']);
  const other = { ...machine([going]), signs: { mark: { ...mark(at('instance', 'web-0')), estate: 'other' } } };
  assert.deepEqual(short(plan(input(wantedGround, looked([...ground, other])))), []);
});

const never = (): never => assert.fail('unreachable');
