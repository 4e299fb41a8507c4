import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { diff } from '../../../src/core/diff.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import type { Revision } from '../../../src/ports/provider.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, codes, type Estate, estates, inGroup, ruleOf, seen } from './estate.ts';

/** A security rule that people made in a security group of their own, and that a document adopts. */
const estate = estates();
const nsg = inGroup('networkSecurityGroups/edge');
let one: Estate;
let theirs: Observed<'firewall-rule'>;
beforeEach(async () => {
  one = await estate();
  await byHand(one.stage, 'PUT', nsg, {
    location: 'westeurope',
    tags: { owner: 'edge' },
    properties: {
      securityRules: [
        {
          name: 'Allow_SSH',
          properties: {
            description: 'made by the edge team',
            protocol: '*',
            sourcePortRange: '*',
            destinationPortRanges: ['22', '88-90'],
            sourceAddressPrefix: 'VirtualNetwork',
            destinationAddressPrefix: '10.20.1.0/24',
            access: 'Allow',
            priority: 117,
            direction: 'Inbound',
          },
        },
      ],
    },
  });
  theirs = await seen(one.session, 'firewall-rule', 'Allow_SSH');
});

function revision(over: Partial<Attributes['firewall-rule']>): Revision<'firewall-rule'> {
  const { desired } = ruleOf(one, 'ssh-00000000');
  const attributes = { ...theirs.attributes, ...over };
  const terms = { ...desired.terms, claim: { adopt: theirs.id } };
  return { desired: { ...desired, attributes, terms }, observed: theirs, changes: diff(attributes, theirs.attributes) };
}

async function rewrite(item: Revision<'firewall-rule'>) {
  const call = recordedCall();
  const results = await one.session.actuators['firewall-rule'].update([item], call);
  return { code: codes(results)[0], writes: writesOf(call), admitted: call.admitted };
}

const wire = async () =>
  (await byHand(one.stage, 'GET', nsg)).properties?.securityRules?.find(({ name }) => name === 'Allow_SSH')?.properties;

test('it is seen with the ports of every protocol, and its own side', () => {
  const { match, order } = theirs.attributes;
  assert.deepEqual(
    [match.protocol, match.ports, match.peers, match.targets, order?.priority],
    ['all', '22,88-90', ['service-tag:VirtualNetwork'], ['10.20.1.0/24'], 117],
  );
});

test('its adoption asks the cloud for nothing', async () => {
  assert.deepEqual(await rewrite(revision({})), { code: 'ok', writes: [], admitted: [] });
});

test('its traffic is changed by one write of its own URL, and the words of people stay', async () => {
  const { match } = theirs.attributes;
  const { code, writes } = await rewrite(revision({ match: { ...match, ports: '22' } }));
  assert.deepEqual([code, writes], ['ok', ['SecurityRules_CreateOrUpdate']]);
  const now = await wire();
  assert.deepEqual(
    [now?.['description'], now?.['destinationPortRange'], now?.['priority'], now?.['sourceAddressPrefix']],
    ['made by the edge team', '22', 117, 'VirtualNetwork'],
  );
});

test('a stated description replaces theirs, and bears no mark', async () => {
  assert.equal((await rewrite(revision({ description: 'ssh for all' }))).code, 'ok');
  assert.equal((await wire())?.['description'], 'ssh for all');
});

test('a colleague who changed the rule since the observation is not overruled', async () => {
  const rule = await wire();
  await byHand(one.stage, 'PUT', `${nsg}/securityRules/Allow_SSH`, { properties: { ...rule, access: 'Deny' } });
  const { match } = theirs.attributes;
  assert.equal((await rewrite(revision({ match: { ...match, ports: '22' } }))).code, 'conflict ChangedMeanwhile');
  assert.equal((await wire())?.['access'], 'Deny');
});

test('one that no document adopts is never changed, and none is ever deleted', async () => {
  const { desired, ...rest } = revision({ description: 'ours now' });
  const { claim: _, ...terms } = desired.terms;
  assert.equal((await rewrite({ ...rest, desired: { ...desired, terms } })).code, 'conflict Unmarked');
  const removed = await one.session.actuators['firewall-rule'].delete(
    [{ id: theirs.id, observed: theirs }],
    recordedCall(),
  );
  assert.deepEqual(codes(removed), ['conflict Unmarked']);
  assert.equal((await wire())?.['description'], 'made by the edge team');
});
