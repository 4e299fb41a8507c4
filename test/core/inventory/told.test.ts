import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Desired } from '../../../src/core/desired.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { at, dialect, input, know, looked, ours, scope, see, settle, vpc, want } from '../plan/fixture.ts';
import { rowed } from './rowed.ts';
import { applied, ground, labelled, net, other, spoken, standing, subnet } from './things.ts';

const owned = (desired: Desired, owner: string): Desired => ({
  ...desired,
  documents: desired.documents.map((document) => ({ ...document, owner })),
});
const only = (given: PlanInput): Row => {
  const [row] = rowed(given);
  assert.ok(row);
  return row;
};

describe('a row tells whose it is and how far', () => {
  it('the owner that its documents name, never a label of the cloud', () => {
    const tagged = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { owner: 'team-evil' }));
    assert.equal(only(input([owned(net, 'team-net')], looked([tagged]))).whose.owner, 'team-net');
    assert.equal(only(input([net], looked([tagged]))).whose.owner, undefined);
  });

  it('the owner that it had, once no document names it', () => {
    const settled = new Map([['vpc-1', settle('network', at('network', 'core'), { owners: ['team-net'] })]]);
    assert.equal(only(input([], looked([standing]), { knowledge: know([], { settled }) })).whose.owner, 'team-net');
  });

  it('the targets of its documents, and all of the scope where it is of nobody', () => {
    const wanted = { ...spoken({ targets: ['b'] }), targets: ['a', 'b'] };
    assert.deepEqual(only({ ...input([net], looked([])), wanted }).place.targets, ['b']);
    assert.deepEqual(only({ ...input([], looked([other])), wanted: { ...wanted, desired: [] } }).place.targets, [
      'a',
      'b',
    ]);
  });

  it('the newest generation that it was in step with', () => {
    const generation = (given: PlanInput): number => only(given).state.generation;
    assert.equal(generation(input([net], looked([standing]))), 7);
    assert.equal(generation(input([labelled], looked([standing]), { knowledge: know([standing], applied(net)) })), 5);
    assert.equal(generation(input([net], looked([]))), 0);
  });
});

describe('a row tells what it is called', () => {
  it('as the cloud calls it, else as its document does, else by its address, else nothing', () => {
    const { name: _, ...anonymous } = standing;
    const unnamed = { ...anonymous, name: '' };
    assert.equal(only(input([], looked([{ ...other, name: 'theirs' }]))).called.name, 'theirs');
    assert.equal(only(input([net], looked([unnamed]))).called.name, 'core');
    assert.equal(only(input([], looked([unnamed]))).called.name, 'core');
    assert.equal(only(input([], looked([{ ...other, name: '' }]))).called.name, '');
  });
});

describe('a row tells what differs, and where', () => {
  it('what differs and what comes next, and why that is held', () => {
    const choices = { unattended: true };
    const row = only(
      input([labelled], looked([standing]), { knowledge: know([standing], applied(labelled)), choices }),
    );
    assert.deepEqual(row.sides.diff, [{ field: 'labels.tier', to: 'web' }]);
    assert.deepEqual(row.sides.next, {
      verb: 'update',
      cause: 'drift',
      held: 'its mode is plan: a person applies it, or approves it with: setpoint approve',
    });
    assert.equal(
      row.state.reason,
      'It was changed on the cloud: labels.tier. Its mode is plan: a person applies it, or approves it with: setpoint approve.',
    );
  });

  it('what differs where it is blocked too', () => {
    const row = only(input([want('network', 'core', vpc('10.9.0.0/16'))], looked([standing])));
    assert.deepEqual(row.sides.diff, [{ field: 'cidr', from: '10.0.0.0/16', to: '10.9.0.0/16' }]);
    assert.equal(row.sides.next, undefined);
  });

  it('both sides with addresses where they are ours, and its labels as seen', () => {
    const row = rowed(input([net, subnet], looked(ground)))[1];
    assert.deepEqual(row?.sides.observed?.attributes, { ...subnet.attributes });
    assert.deepEqual(row?.sides.desired?.attributes, subnet.attributes);
    const tagged = only(input([net], looked([ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { a: 'b' }))])));
    assert.deepEqual(tagged.called.labels, { a: 'b' });
  });

  it('where it is: the place of its address, or that its name takes', () => {
    const place = (given: PlanInput) => only(given).place;
    assert.deepEqual(place(input([net], looked([]))), {
      scope,
      cloud: 'aws',
      account: '1',
      region: 'eu-1',
      kind: 'network',
      targets: ['prod'],
    });
    const gcp = { ...dialect, cloud: 'gcp' } as const;
    const global = want('network', 'core', vpc());
    const given = input([{ ...global, address: 'gcp/acme/global/network/core' }], { ...looked([]), scope: 'gcp/acme' });
    assert.equal(place({ ...given, dialect: gcp }).region, '');
    const unnamed = see(
      'subnet',
      's',
      { network: 'n', cidr: '10.0.0.0/24', labels: {} },
      { signs: { slot: 'gcp/acme/europe-west1/subnet/x' } },
    );
    assert.equal(
      place({ ...input([], { ...looked([unnamed]), scope: 'gcp/acme' }), dialect: gcp }).region,
      'europe-west1',
    );
  });
});
