import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Observed } from '../../../src/core/observed.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { byHand } from '../../support/gcp-session.ts';
import {
  actionsOf,
  createOne,
  deleteOne,
  type Estate,
  listOf,
  makeEstate,
  networkOf,
  revise,
  ruleOf,
  said,
  seen,
  subnetOf,
  updateOne,
} from './estate.ts';

let estate: Estate;
beforeEach(async () => {
  estate = await makeEstate();
});
afterEach(() => estate.stage.close());

const turn = (creation: Creation<'network'>, observed: Observed<'network'>, internet: boolean) =>
  updateOne(
    estate,
    revise(creation, observed, {
      attributes: { internet, labels: {} },
      changes: [{ field: 'internet', from: !internet, to: internet }],
    }),
  );

interface Routes {
  readonly items?: readonly { readonly name: string; readonly network: string; readonly nextHopGateway?: string }[];
}

/** Names of the routes that lead from this network to the internet. */
async function waysOf(name: string): Promise<readonly string[]> {
  const { items = [] } = await byHand<Routes>(estate.stage, 'GET', 'global/routes');
  return items.filter((route) => route.network.endsWith(`/${name}`) && route.nextHopGateway).map((route) => route.name);
}

const foreign = (name: string, network: string) =>
  byHand(estate.stage, 'POST', 'global/routes', {
    name,
    network: `global/networks/${network}`,
    destRange: '0.0.0.0/0',
    nextHopGateway: 'global/gateways/default-internet-gateway',
    priority: 900,
  });

describe('a network’s way to the internet', () => {
  test('is the one that it is born with: nothing is made for it', async () => {
    const observed = await seen(estate, 'network', estate.network.id);
    assert.deepEqual([observed.attributes.internet, observed.condition.parts?.length], [true, 1]);
    assert.match((await waysOf('core'))[0] ?? '', /^default-route-/);
  });

  test('goes with the creation where none is wanted', async () => {
    const { id, attributes } = await createOne(estate, networkOf('closed', false));
    assert.equal(attributes.internet, false);
    assert.deepEqual([(await seen(estate, 'network', id)).attributes.internet, await waysOf('closed')], [false, []]);
  });

  test('that could not be taken away at once is told, and goes with an update', async () => {
    const { faults } = estate.stage.sandbox.control;
    faults.add({ match: { action: 'compute.routes.delete', times: 1 }, effect: { kind: 'access-denied' } });
    const creation = networkOf('half', false);
    const made = await createOne(estate, creation);
    assert.equal(made.attributes.internet, true);
    const observed = await seen(estate, 'network', made.id);
    assert.equal(said(await turn(creation, observed, false)), 'ok');
    assert.equal((await seen(estate, 'network', made.id)).attributes.internet, false);
  });

  test('is made anew by our own name, once, and is ours to take away', async () => {
    const creation = networkOf('closed', false);
    const { id } = await createOne(estate, creation);
    const closed = await seen(estate, 'network', id);
    assert.equal(said(await turn(creation, closed, true)), 'ok');
    assert.equal(said(await turn(creation, closed, true)), 'ok');
    assert.deepEqual(await waysOf('closed'), ['closed-internet']);
    const open = await seen(estate, 'network', id);
    assert.deepEqual([open.attributes.internet, open.condition.parts?.length], [true, 1]);
    assert.equal(said(await turn(creation, open, false)), 'ok');
    assert.deepEqual(await waysOf('closed'), []);
  });

  test('whose making was lost is found again; one that is gone again is made again', async () => {
    const creation = networkOf('closed', false);
    const { id } = await createOne(estate, creation);
    const closed = await seen(estate, 'network', id);
    const { faults } = estate.stage.sandbox.control;
    faults.add({ match: { action: 'compute.routes.insert', times: 1 }, effect: { kind: 'reset-after' } });
    assert.match(said(await turn(creation, closed, true)), /^ambiguous /);
    assert.match(said(await turn(creation, closed, true)), /^(?:ok|retryable StillMade)$/);
    estate.stage.sandbox.control.clock.advance(60_000);
    assert.equal(said(await turn(creation, closed, true)), 'ok');
    await byHand(estate.stage, 'DELETE', 'global/routes/closed-internet');
    assert.equal(said(await turn(creation, closed, true)), 'ok');
    assert.deepEqual(await waysOf('closed'), ['closed-internet']);
  });
});

describe('another’s way to the internet', () => {
  test('by a colleague’s route is told, and is the colleague’s to take away', async () => {
    const creation = networkOf('closed', false);
    const { id } = await createOne(estate, creation);
    await foreign('mine', 'closed');
    const observed = await seen(estate, 'network', id);
    assert.deepEqual([observed.attributes.internet, observed.condition.parts], [true, undefined]);
    const result = await turn(creation, observed, false);
    assert.equal(said(result), 'terminal ForeignRoute');
    assert.ok(!result.ok && result.failure.message.includes('route mine leads from'));
    assert.deepEqual(await waysOf('closed'), ['mine']);
  });

  test('of a colleague’s name is not ours', async () => {
    const creation = networkOf('closed', false);
    const { id } = await createOne(estate, creation);
    await byHand(estate.stage, 'POST', 'global/routes', {
      name: 'closed-internet',
      network: 'global/networks/core',
      destRange: '10.99.0.0/16',
      nextHopGateway: 'global/gateways/default-internet-gateway',
    });
    const result = await turn(creation, await seen(estate, 'network', id), true);
    assert.equal(said(result), 'terminal alreadyExists');
    assert.ok(!result.ok && /leads elsewhere; delete or rename it/.test(result.failure.message));
  });
});

describe('a network that goes', () => {
  test('takes with it the route that it was born with', async () => {
    const other = await createOne(estate, networkOf('other'));
    assert.equal(said(await deleteOne(estate, await seen(estate, 'network', other.id))), 'ok');
    assert.deepEqual([(await listOf(estate, 'network')).length, await waysOf('other')], [1, []]);
  });

  test('and has a route of ours loses that first', async () => {
    const creation = networkOf('closed', false);
    const { id } = await createOne(estate, creation);
    await turn(creation, await seen(estate, 'network', id), true);
    assert.equal(said(await deleteOne(estate, await seen(estate, 'network', id))), 'ok');
    assert.deepEqual(await waysOf('closed'), []);
  });

  test('but holds something stays, whole: its route too', async () => {
    const creation = networkOf('closed', false);
    const made = await createOne(estate, creation);
    await turn(creation, await seen(estate, 'network', made.id), true);
    await createOne(estate, ruleOf({ network: made }));
    const observed = await seen(estate, 'network', made.id);
    const result = await deleteOne(estate, observed);
    assert.equal(said(result).split(' ')[0], 'conflict');
    assert.deepEqual(await waysOf('closed'), ['closed-internet']);
  });

  test('and was made anew under its name by somebody else is gone: theirs stays', async () => {
    const other = await createOne(estate, networkOf('other'));
    const observed = await seen(estate, 'network', other.id);
    await byHand(estate.stage, 'DELETE', 'global/networks/other');
    await byHand(estate.stage, 'POST', 'global/networks', { name: 'other', autoCreateSubnetworks: false });
    assert.equal(said(await deleteOne(estate, observed)), 'ok');
    assert.equal((await listOf(estate, 'network')).length, 2);
    const [read] = await estate.stage.run(() => estate.session.actuators.network.read([other.id], { ...emptyCall }));
    assert.deepEqual(read, { ok: true, value: undefined });
  });
});

const emptyCall = {
  signal: new AbortController().signal,
  admit: async () => {},
  report: () => {},
  secret: async () => ({}),
};

describe('the shared parts of listings', () => {
  test('a reconcile over all kinds asks for each listing once', async () => {
    await createOne(estate, ruleOf(estate));
    await createOne(estate, subnetOf('core.db', estate.network.id, '10.20.2.0/24'));
    const session = await estate.stage.open();
    estate.stage.sandbox.control.log.clear();
    const site = { stage: estate.stage, session };
    await Promise.all(
      (['network', 'subnet', 'group', 'firewall-rule', 'instance'] as const).map((kind) => listOf(site, kind)),
    );
    assert.deepEqual(actionsOf(estate.stage).toSorted(), [
      'firewalls.list',
      'instances.aggregatedList',
      'networks.list',
      'routes.list',
      'subnetworks.aggregatedList',
    ]);
  });

  test('a write makes them old', async () => {
    await listOf(estate, 'network');
    const other = await createOne(estate, networkOf('other'));
    await createOne(estate, subnetOf('other.db', other.id, '10.20.2.0/24'));
    const subnets = await listOf(estate, 'subnet');
    assert.deepEqual(
      subnets.map(({ attributes }) => attributes.network).toSorted(),
      [estate.network.id, other.id].toSorted(),
    );
  });
});
