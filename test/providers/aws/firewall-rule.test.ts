import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { AuthorizeSecurityGroupIngressCommand, EC2Client } from '@aws-sdk/client-ec2';
import type { Observed } from '../../../src/core/observed.ts';
import { region } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, codes, type Estate, listOf, makeEstate, must, ruleOf } from './estate.ts';

let estate: Estate;
const rules = () => estate.session.actuators['firewall-rule'];
const faults = () => estate.stage.sandbox.control.faults;

before(async () => {
  estate = await makeEstate();
});
beforeEach(() => {
  faults().clear();
  estate.stage.sandbox.control.log.clear();
});
after(() => estate.stage.close());

async function ours(): Promise<readonly Observed<'firewall-rule'>[]> {
  const all = await listOf(estate.session, 'firewall-rule');
  return all.filter(({ signs }) => signs.container === estate.group.id);
}

describe('creating rules', () => {
  test('a group’s atoms of one direction share a call, and are listed as they were asked for', async () => {
    const batch = [
      ruleOf(estate, { ports: '80' }, 'web'),
      ruleOf(estate, { ports: '8000-8100', peers: ['2001:db8::/32'] }),
      ruleOf(estate, { protocol: 'icmp', ports: '8/all' }),
      ruleOf(estate, { protocol: '132', ports: 'all' }),
      ruleOf(estate, { protocol: 'udp', ports: 'all', peers: [`group:${estate.group.id}`] }),
      ruleOf(estate, { direction: 'egress', protocol: 'icmpv6', ports: 'all', peers: ['::/0'] }),
    ];
    const made = (await rules().create(batch, recordedCall())).map(must);
    assert.deepEqual(actionsOf(estate.stage), ['AuthorizeSecurityGroupIngress', 'AuthorizeSecurityGroupEgress']);
    const listed = new Map((await ours()).map((rule) => [rule.id, rule]));
    for (const rule of made) assert.deepEqual(listed.get(rule.id)?.attributes, rule.attributes);
  });

  test('one duplicate sinks the call, then each goes singly and the duplicate is done', async () => {
    const batch = ['80', '81', '82'].map((ports) => ruleOf(estate, { ports }));
    assert.deepEqual(codes(await rules().create(batch, recordedCall())), ['ok', 'ok', 'ok']);
    assert.equal(actionsOf(estate.stage).length, 4);
  });

  test('one bad rule fails alone', async () => {
    const batch = [
      ruleOf(estate, { ports: '90' }),
      ruleOf(estate, { peers: ['group:sg-0aaaaaaaaaaaaaaaa'] }),
      ruleOf(estate, { ports: '91' }),
    ];
    assert.deepEqual(codes(await rules().create(batch, recordedCall())), ['ok', 'InvalidGroup.NotFound', 'ok']);
  });

  test('no answer: nothing is sent again, and every item is ambiguous', async () => {
    faults().add({ match: { action: 'AuthorizeSecurityGroupIngress' }, effect: { kind: 'reset-after' } });
    const results = await rules().create(
      [ruleOf(estate, { ports: '70' }), ruleOf(estate, { ports: '71' })],
      recordedCall(),
    );
    assert.deepEqual(
      results.map((result) => (result.ok ? 'ok' : result.failure.kind)),
      ['ambiguous', 'ambiguous'],
    );
    assert.equal(actionsOf(estate.stage).length, 1);
  });

  test('throttled: the whole call may come again, and is not sent singly', async () => {
    faults().add({ match: {}, effect: { kind: 'throttle' } });
    const results = await rules().create(
      [ruleOf(estate, { ports: '60' }), ruleOf(estate, { ports: '61' })],
      recordedCall(),
    );
    assert.deepEqual(codes(results), ['RequestLimitExceeded', 'RequestLimitExceeded']);
    assert.equal(actionsOf(estate.stage).length, 1);
  });
});

describe('changing a description', () => {
  test('is done in place, many in one call; an empty one is taken away', async () => {
    const made = (
      await rules().create(
        [ruleOf(estate, { ports: '100' }, 'old'), ruleOf(estate, { ports: '101' }, 'old')],
        recordedCall(),
      )
    ).map(must);
    estate.stage.sandbox.control.log.clear();
    const revisions = made.map((observed, index) => {
      const to = index === 0 ? 'new' : '';
      const desired = ruleOf(estate, observed.attributes.match, to).desired;
      return { desired, observed, changes: [{ field: 'description', from: 'old', to }] };
    });
    assert.deepEqual(codes(await rules().update(revisions, recordedCall())), ['ok', 'ok']);
    assert.deepEqual(actionsOf(estate.stage), ['UpdateSecurityGroupRuleDescriptionsIngress']);
    const listed = await ours();
    const descriptions = made.map(({ id }) => listed.find((rule) => rule.id === id)?.attributes.description);
    assert.deepEqual(descriptions, ['new', '']);
  });
});

describe('deleting rules', () => {
  test('one call a direction; what is gone already is done', async () => {
    const made = (
      await rules().create([ruleOf(estate, { ports: '200' }), ruleOf(estate, { ports: '201' })], recordedCall())
    ).map(must);
    const [first] = made;
    assert.ok(first);
    await rules().delete([{ id: first.id, observed: first }], recordedCall());
    estate.stage.sandbox.control.log.clear();
    const removals = made.map((observed) => ({ id: observed.id, observed }));
    assert.deepEqual(codes(await rules().delete(removals, recordedCall())), ['ok', 'ok']);
    assert.deepEqual(actionsOf(estate.stage), Array(3).fill('RevokeSecurityGroupIngress'));
    const left = (await ours()).map(({ id }) => id);
    assert.ok(made.every(({ id }) => !left.includes(id)));
  });

  test('a rule of another hand is revoked, however it was spelled', async () => {
    const client = new EC2Client({
      region,
      endpoint: estate.stage.sandbox.url,
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'x' },
    });
    const IpPermissions = [
      { IpProtocol: '58', FromPort: -1, ToPort: -1, Ipv6Ranges: [{ CidrIpv6: '2001:DB8:9::/48' }] },
    ];
    await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: estate.group.id, IpPermissions }));
    client.destroy();
    const rogue = (await ours()).find(({ id }) => id.endsWith('icmpv6/all/2001:db8:9::/48'));
    assert.ok(rogue);
    assert.deepEqual(codes(await rules().delete([{ id: rogue.id, observed: rogue }], recordedCall())), ['ok']);
    assert.ok(!(await ours()).some(({ id }) => id === rogue.id));
  });

  test('a rule stored in words that are not ours is named by them', async () => {
    const { attributes } = ruleOf(estate, { peers: ['192.168.0.0/31'] }).desired;
    const spelled = [{ IpProtocol: 'tcp', FromPort: 443, ToPort: 443, IpRanges: [{ CidrIp: '192.168.0.1/31' }] }];
    const id = `${estate.group.id}/ingress/tcp/443/192.168.0.0/31`;
    const condition = { state: 'ready', version: JSON.stringify(spelled) } as const;
    const observed = {
      kind: 'firewall-rule',
      id,
      name: '',
      attributes,
      signs: { container: estate.group.id },
      condition,
    } as const;
    await rules().delete([{ id, observed }], recordedCall());
    const [request] = estate.stage.sandbox.control.log.entries({ action: 'RevokeSecurityGroupIngress' });
    assert.equal(request?.params['IpPermissions.1.IpRanges.1.CidrIp'], '192.168.0.1/31');
  });
});

describe('reading rules by name', () => {
  test('found, gone with its group, gone from its group', async () => {
    const [made] = (await rules().create([ruleOf(estate, { ports: '300' })], recordedCall())).map(must);
    assert.ok(made);
    const nowhere = 'sg-0aaaaaaaaaaaaaaaa/ingress/tcp/1/0.0.0.0/0';
    const results = await rules().read(
      [made.id, `${estate.group.id}/ingress/tcp/9/0.0.0.0/0`, nowhere],
      recordedCall(),
    );
    assert.deepEqual(
      results.map((result) => result.ok && result.value?.id),
      [made.id, undefined, undefined],
    );
  });
});
