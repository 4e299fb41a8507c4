import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { diff } from '../../../src/core/diff.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import type { Revision } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { byHand } from '../../support/gcp-session.ts';
import { actionsOf, deleteOne, type Estate, listOf, makeEstate, ruleOf, said, updateOne } from './estate.ts';

/** A firewall that people made, and that a document adopts. */
let estate: Estate;
let theirs: Observed<'firewall-rule'>;
beforeEach(async () => {
  estate = await makeEstate();
  await byHand(estate.stage, 'POST', 'global/firewalls', {
    name: 'allow-web',
    network: 'global/networks/core',
    description: 'made by the web team',
    allowed: [{ IPProtocol: 'tcp', ports: ['443'] }, { IPProtocol: 'icmp' }],
    sourceRanges: ['0.0.0.0/0'],
    targetTags: ['http-server'],
    logConfig: { enable: true, metadata: 'EXCLUDE_ALL_METADATA' },
  });
  const found = (await listOf(estate, 'firewall-rule')).find(({ name }) => name === 'allow-web');
  assert.ok(found);
  theirs = found;
  estate.stage.sandbox.control.log.clear();
});
afterEach(() => estate.stage.close());

function revision(over: Partial<Attributes['firewall-rule']>, adopt = theirs.id): Revision<'firewall-rule'> {
  const { desired } = ruleOf(estate);
  const attributes = { ...theirs.attributes, ...over };
  const terms = { ...desired.terms, claim: { adopt } };
  return { desired: { ...desired, attributes, terms }, observed: theirs, changes: diff(attributes, theirs.attributes) };
}

const wire = () => byHand<Readonly<Record<string, unknown>>>(estate.stage, 'GET', 'global/firewalls/allow-web');

test('its adoption writes nothing and reads nothing', async () => {
  assert.equal(said(await updateOne(estate, revision({}))), 'ok');
  assert.deepEqual(actionsOf(estate.stage), []);
});

test('its traffic is changed by one PATCH, and the words of people stay', async () => {
  const { match } = theirs.attributes;
  assert.equal(said(await updateOne(estate, revision({ match: { ...match, peers: ['10.0.0.0/8'] } }))), 'ok');
  assert.deepEqual(actionsOf(estate.stage), ['firewalls.get', 'firewalls.patch']);
  const now = await wire();
  assert.deepEqual(
    [now['description'], now['sourceRanges'], now['targetTags'], now['logConfig']],
    ['made by the web team', ['10.0.0.0/8'], ['http-server'], { enable: true, metadata: 'EXCLUDE_ALL_METADATA' }],
  );
});

test('a stated description replaces theirs, and bears no mark', async () => {
  assert.equal(said(await updateOne(estate, revision({ description: 'public site' }))), 'ok');
  assert.equal((await wire())['description'], 'public site');
});

test('a colleague who changed the same list since the observation is not overruled', async () => {
  await byHand(estate.stage, 'PATCH', 'global/firewalls/allow-web', { priority: 7 });
  const { match } = theirs.attributes;
  const peers = ['0.0.0.0/0', '10.0.0.0/8'];
  assert.equal(said(await updateOne(estate, revision({ match: { ...match, peers } }))), 'conflict ChangedMeanwhile');
});

test('one that another estate marked since it was listed is left as it is', async () => {
  const mark = JSON.stringify({ setpoint: { estate: 'other', store: 's', address: 'a' } });
  await byHand(estate.stage, 'PATCH', 'global/firewalls/allow-web', { description: mark });
  const { match } = theirs.attributes;
  assert.equal(
    said(await updateOne(estate, revision({ match: { ...match, ports: 'tcp:80' } }))),
    'conflict MarkChanged',
  );
});

test('one that no document adopts is never changed, and none is ever deleted', async () => {
  const { desired, ...rest } = revision({ description: 'ours now' });
  const { claim: _, ...terms } = desired.terms;
  assert.equal(said(await updateOne(estate, { ...rest, desired: { ...desired, terms } })), 'terminal NotOurs');
  assert.match(said(await deleteOne(estate, theirs)), /^terminal NotOurs$/);
  assert.equal((await wire())['description'], 'made by the web team');
  assert.equal(recordedCall().admitted.length, 0);
});
