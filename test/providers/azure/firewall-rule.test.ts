import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { readRuleMark } from '../../../providers/azure/rule-mark.ts';
import { prefix } from '../../support/azure-session.ts';
import { recordedCall, writesOf } from '../../support/fixtures.ts';
import {
  byHand,
  codes,
  createOne,
  type Estate,
  estates,
  inGroup,
  listOf,
  must,
  networkOf,
  type RawChild,
  revisionTo,
  ruleOf,
  seen,
} from './estate.ts';

const estate = estates();

const nsg = inGroup('networkSecurityGroups/core-nsg');
const rulesIn = async ({ stage }: Estate): Promise<readonly RawChild[]> =>
  (await byHand(stage, 'GET', nsg)).properties?.securityRules ?? [];
const namesIn = async (one: Estate): Promise<readonly string[]> => (await rulesIn(one)).map(({ name }) => name).sort();
const priorities = async ({ session }: Estate): Promise<Readonly<Record<string, number | undefined>>> =>
  Object.fromEntries(
    (await listOf(session, 'firewall-rule')).map(({ name, attributes }) => [name, attributes.order?.priority]),
  );
const many = (one: Estate, count: number) =>
  Array.from({ length: count }, (_, at) =>
    ruleOf(one, `r${at}-00000000`, { priority: 100 + at, ports: `${1000 + at}` }),
  );

describe('rules of one network', () => {
  test('a thousand, in both directions, go in two writes', async () => {
    const one = await estate();
    const [some, others] = [many(one, 500), many(one, 500)];
    const egress = others.map((item, at) =>
      ruleOf(one, `e${at}-00000000`, { direction: 'egress', priority: item.desired.attributes.order?.priority ?? 0 }),
    );
    const call = recordedCall();
    const results = await one.session.actuators['firewall-rule'].create([...some, ...egress], call);
    assert.deepEqual([...new Set(codes(results))], ['ok']);
    assert.ok(writesOf(call).length <= 2, `${writesOf(call)}`);
    assert.equal((await listOf(one.session, 'firewall-rule')).length, 1000);
  });

  test('Z19: two that change their numbers do so in one write, with no moment between', async () => {
    const one = await estate();
    const [a, b] = [ruleOf(one, 'a-00000000', { priority: 100 }), ruleOf(one, 'b-00000000', { priority: 110 })];
    const [first, second] = [await createOne(one.session, a), await createOne(one.session, b)];
    const call = recordedCall();
    const swap = [
      revisionTo(a, first, { order: { priority: 110 } }),
      revisionTo(b, second, { order: { priority: 100 } }),
    ];
    const results = await one.session.actuators['firewall-rule'].update(swap, call);
    assert.deepEqual(codes(results), ['ok', 'ok']);
    assert.deepEqual(writesOf(call), ['NetworkSecurityGroups_CreateOrUpdate']);
    assert.deepEqual(await priorities(one), { 'a-00000000': 110, 'b-00000000': 100 });
  });

  test('two batches at once wait for each other', async () => {
    const one = await estate();
    const { create } = one.session.actuators['firewall-rule'];
    const results = await Promise.all([
      create([ruleOf(one, 'a-00000000', { priority: 100 })], recordedCall()),
      create([ruleOf(one, 'b-00000000', { direction: 'egress' })], recordedCall()),
    ]);
    assert.deepEqual(results.map(codes), [['ok'], ['ok']]);
    assert.deepEqual(await namesIn(one), ['a-00000000', 'b-00000000']);
  });
});

describe('a rule that is made', () => {
  test('one bad one sinks the whole, and then each goes by itself', async () => {
    const one = await estate();
    const bad = ruleOf(one, 'bad-00000000', { priority: 120, targets: [`${one.group.id.replace(/#.*/, '')}-gone`] });
    const batch = [ruleOf(one, 'a-00000000'), bad, ruleOf(one, 'b-00000000', { priority: 110 })];
    const results = codes(await one.session.actuators['firewall-rule'].create(batch, recordedCall()));
    assert.deepEqual([results[0], results[2]], ['ok', 'ok']);
    assert.match(results[1] ?? '', /^(terminal|not-found) /);
    assert.deepEqual(await namesIn(one), ['a-00000000', 'b-00000000']);
  });

  test('one that stands as it is wanted is not written again', async () => {
    const one = await estate();
    const creation = ruleOf(one, 'a-00000000');
    const first = await createOne(one.session, creation);
    const call = recordedCall();
    const again = must((await one.session.actuators['firewall-rule'].create([creation], call))[0]);
    assert.deepEqual([again.id, writesOf(call)], [first.id, []]);
  });

  test('one whose answer was lost is found again, and there is one', async () => {
    const one = await estate();
    const creation = ruleOf(one, 'a-00000000');
    one.stage.sandbox.control.faults.add({
      match: { action: 'networkSecurityGroups.createOrUpdate', nth: 1 },
      effect: { kind: 'reset-after' },
    });
    const { create } = one.session.actuators['firewall-rule'];
    assert.deepEqual(codes(await create([creation], recordedCall())), ['ambiguous ECONNRESET']);
    one.stage.sandbox.control.clock.advance(600_000);
    assert.deepEqual(codes(await create([creation], recordedCall())), ['ok']);
    assert.deepEqual(await namesIn(one), ['a-00000000']);
  });

  test('one of a network whose filter does not stand yet waits for it', async () => {
    const one = await estate();
    await byHand(one.stage, 'DELETE', nsg);
    const results = await one.session.actuators['firewall-rule'].create([ruleOf(one, 'a-00000000')], recordedCall());
    assert.deepEqual(codes(results), ['not-found NoFilter']);
  });
});

describe('a rule that is not ours, in a security group that is', () => {
  test('and that comes between our look and our write stays, and that is a conflict', async () => {
    const one = await estate();
    one.stage.sandbox.control.faults.add({
      match: { action: 'networkSecurityGroups.createOrUpdate', nth: 1 },
      effect: { kind: 'edit', method: 'PUT', path: `${nsg}/securityRules/lab?api-version=2026-01-01`, body: labRule },
    });
    const { create } = one.session.actuators['firewall-rule'];
    assert.deepEqual(codes(await create(many(one, 2), recordedCall())), [
      'conflict PreconditionFailed',
      'conflict PreconditionFailed',
    ]);
    assert.deepEqual(await namesIn(one), ['lab']);
    assert.deepEqual(codes(await create(many(one, 2), recordedCall())), ['ok', 'ok']);
    assert.deepEqual(await namesIn(one), ['lab', 'r0-00000000', 'r1-00000000']);
  });

  test('and stands already is sent back as it is', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${nsg}/securityRules/lab`, labRule);
    const before = (await rulesIn(one))[0]?.properties;
    const observed = await createOne(one.session, ruleOf(one, 'a-00000000'));
    const { delete: remove } = one.session.actuators['firewall-rule'];
    must((await remove([{ id: observed.id, observed }], recordedCall()))[0]);
    assert.deepEqual(
      (await rulesIn(one)).map(({ properties }) => properties),
      [before],
    );
  });

  test('is seen as one in our container, and may be taken away through it', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${nsg}/securityRules/Lab`, labRule);
    const observed = await seen(one.session, 'firewall-rule', 'lab');
    assert.deepEqual(observed.signs, { container: one.network.id });
    must((await one.session.actuators['firewall-rule'].delete([{ id: observed.id, observed }], recordedCall()))[0]);
    assert.deepEqual(await namesIn(one), []);
  });

  test('and holds our number is a conflict for the one that wants it', async () => {
    const one = await estate();
    await byHand(one.stage, 'PUT', `${nsg}/securityRules/lab`, labRule);
    const batch = [ruleOf(one, 'a-00000000', { priority: 4000 }), ruleOf(one, 'b-00000000', { priority: 110 })];
    const results = await one.session.actuators['firewall-rule'].create(batch, recordedCall());
    assert.deepEqual(codes(results), ['conflict SecurityRuleConflict', 'ok']);
  });
});

describe('a rule that changes', () => {
  test('does so in place, in everything but its name', async () => {
    const one = await estate();
    const creation = ruleOf(one, 'a-00000000');
    const observed = await createOne(one.session, creation);
    const match = {
      ...observed.attributes.match,
      protocol: 'udp',
      ports: '53,8000-8100',
      peers: ['10.1.0.0/16', '10.2.0.0/16'],
    };
    const revision = revisionTo(creation, observed, { match, description: 'new', order: { priority: 300 } });
    must((await one.session.actuators['firewall-rule'].update([revision], recordedCall()))[0]);
    const now = await seen(one.session, 'firewall-rule', 'a-00000000');
    assert.deepEqual([now.id, now.attributes], [observed.id, revision.desired.attributes]);
  });

  for (const [what, change] of [
    ['ports', { destinationPortRange: '8443' }],
    ['peers', { sourceAddressPrefix: '10.99.0.0/16' }],
    ['number', { priority: 777 }],
    ['effect', { access: 'Deny' }],
  ] as const)
    test(`and of which a colleague changed the ${what} since it was listed is planned again`, async () => {
      const one = await estate();
      const [a, b] = many(one, 2);
      assert.ok(a && b);
      const [first, second] = [await createOne(one.session, a), await createOne(one.session, b)];
      const [standing] = await rulesIn(one);
      const theirs = { ...standing?.properties, ...change };
      await byHand(one.stage, 'PUT', `${nsg}/securityRules/r0-00000000`, { properties: theirs });
      const ours = (creation: typeof a, observed: typeof first) =>
        revisionTo(creation, observed, { match: { ...observed.attributes.match, protocol: 'udp' } });
      const rules = one.session.actuators['firewall-rule'];
      const updates = await rules.update([ours(a, first), ours(b, second)], recordedCall());
      assert.deepEqual(codes(updates), ['conflict ChangedMeanwhile', 'ok']);
      const deletions = await rules.delete([{ id: first.id, observed: first }], recordedCall());
      assert.deepEqual(codes(deletions), ['conflict ChangedMeanwhile']);
      const stands = (await rulesIn(one)).find(({ name }) => name === 'r0-00000000')?.properties;
      assert.deepEqual({ ...stands, ...change, provisioningState: '' }, { ...stands, provisioningState: '' });
      const again = await seen(one.session, 'firewall-rule', 'r0-00000000');
      must((await rules.update([ours(a, again)], recordedCall()))[0]);
    });

  test('and that a colleague has changed as it is wanted is done', async () => {
    const one = await estate();
    const creation = ruleOf(one, 'a-00000000');
    const observed = await createOne(one.session, creation);
    const [standing] = await rulesIn(one);
    await byHand(one.stage, 'PUT', `${nsg}/securityRules/a-00000000`, {
      properties: { ...standing?.properties, priority: 300 },
    });
    const call = recordedCall();
    const revision = revisionTo(creation, observed, { order: { priority: 300 } });
    must((await one.session.actuators['firewall-rule'].update([revision], call))[0]);
    assert.deepEqual(writesOf(call), []);
  });

  test('and is gone does not sink the others', async () => {
    const one = await estate();
    const [a, b] = many(one, 2);
    assert.ok(a && b);
    const [first, second] = [await createOne(one.session, a), await createOne(one.session, b)];
    await byHand(one.stage, 'DELETE', `${nsg}/securityRules/r0-00000000`);
    const both = [revisionTo(a, first, { description: 'new' }), revisionTo(b, second, { description: 'new' })];
    const results = await one.session.actuators['firewall-rule'].update(both, recordedCall());
    assert.deepEqual(codes(results), ['not-found ResourceNotFound', 'ok']);
    assert.deepEqual(await namesIn(one), ['r1-00000000']);
  });

  test('an unchanged one is not even looked at', async () => {
    const one = await estate();
    const creation = ruleOf(one, 'a-00000000');
    const observed = await createOne(one.session, creation);
    const call = recordedCall();
    const revision = { desired: creation.desired, observed, changes: [] };
    must((await one.session.actuators['firewall-rule'].update([revision], call))[0]);
    assert.deepEqual(call.admitted, []);
  });
});

test('rules of a security group that filters no network of ours are told with the network that they filter', async () => {
  const one = await estate();
  await byHand(one.stage, 'PUT', inGroup('networkSecurityGroups/other'), {
    location: 'westeurope',
    properties: { securityRules: [{ name: 'lab', ...labRule }] },
  });
  const alone = await seen(one.session, 'firewall-rule', 'lab');
  assert.match(alone.attributes.network, /networksecuritygroups\/other#/);
  await byHand(one.stage, 'PUT', `${inGroup('virtualNetworks/core')}/subnets/lab`, {
    properties: { addressPrefix: '10.20.9.0/24', networkSecurityGroup: { id: inGroup('networkSecurityGroups/other') } },
  });
  const onSubnet = await seen(one.session, 'firewall-rule', 'lab');
  assert.deepEqual([onSubnet.attributes.network, onSubnet.signs], [one.network.id, {}]);
});

test('a rule is read by its id as it is listed, and one of another security group by that name is not it', async () => {
  const one = await estate();
  const { id } = await createOne(one.session, ruleOf(one, 'a-00000000', { description: 'text' }));
  const listed = await seen(one.session, 'firewall-rule', 'a-00000000');
  const { read } = one.session.actuators['firewall-rule'];
  assert.deepEqual(await read([id], recordedCall()), [{ ok: true, value: listed }]);
  await byHand(one.stage, 'DELETE', nsg);
  await byHand(one.stage, 'PUT', nsg, { location: 'westeurope', properties: {} });
  assert.deepEqual(await read([id], recordedCall()), [{ ok: true, value: undefined }]);
  const { delete: remove } = one.session.actuators['firewall-rule'];
  must((await remove([{ id, observed: listed }], recordedCall()))[0]);
});

test('a network beside it is not touched', async () => {
  const one = await estate();
  const other = await createOne(one.session, networkOf('side', { cidr: '10.30.0.0/16' }));
  await createOne(one.session, ruleOf(one, 'a-00000000'));
  await createOne(one.session, ruleOf({ ...one, network: other }, 'b-00000000', { targets: [] }));
  assert.deepEqual(await namesIn(one), ['a-00000000']);
});

const markedNsg = inGroup('networkSecurityGroups/core-nsg');

const markedEstate = estates();
let one: Estate;

/** The network's filter is a colleague's: he took our tags off it and holds a rule in it. */
beforeEach(async () => {
  one = await markedEstate();
  await byHand(one.stage, 'PUT', `${markedNsg}/securityRules/lab`, labRule);
  await byHand(one.stage, 'PATCH', markedNsg, { tags: { owner: 'lab' } });
});

const rules = () => one.session.actuators['firewall-rule'];
const textOf = async (name: string): Promise<string> => {
  const all = (await byHand(one.stage, 'GET', markedNsg)).properties?.securityRules ?? [];
  return String(all.find((rule) => rule.name === name)?.properties['description']);
};

describe('in a security group that is not ours', () => {
  test('the network has its filter, and the unmarked rule is told without an owner', async () => {
    const [network] = await listOf(one.session, 'network');
    assert.deepEqual([network?.attributes.filter, network?.condition.parts], [true, undefined]);
    const lab = await seen(one.session, 'firewall-rule', 'lab');
    assert.deepEqual([lab.signs, lab.attributes.network], [{}, one.network.id]);
  });

  test('a rule of ours goes alone, with its mark behind its text', async () => {
    const creation = ruleOf(one, 'a-00000000', { description: 'public site' });
    const call = recordedCall();
    const made = must((await rules().create([creation], call))[0]);
    assert.deepEqual(writesOf(call), ['SecurityRules_CreateOrUpdate']);
    const observed = await seen(one.session, 'firewall-rule', 'a-00000000');
    assert.deepEqual([observed.signs, observed.attributes], [{ mark: creation.mark }, creation.desired.attributes]);
    assert.deepEqual([made.id, made.signs, made.attributes], [observed.id, observed.signs, observed.attributes]);
    assert.match(await textOf('a-00000000'), /^public site \[setpoint acme /);
    assert.equal(await textOf('lab'), 'by hand');
  });

  test('it changes and goes alone, by its mark', async () => {
    const creation = ruleOf(one, 'a-00000000');
    const observed = await createOne(one.session, creation);
    const call = recordedCall();
    must((await rules().update([revisionTo(creation, observed, { description: 'new' })], call))[0]);
    assert.deepEqual(writesOf(call), ['SecurityRules_CreateOrUpdate']);
    const changed = await seen(one.session, 'firewall-rule', 'a-00000000');
    assert.deepEqual([changed.attributes.description, changed.signs.mark], ['new', creation.mark]);
    must((await rules().delete([{ id: changed.id, observed: changed }], recordedCall()))[0]);
    assert.deepEqual(
      (await listOf(one.session, 'firewall-rule')).map(({ name }) => name),
      ['lab'],
    );
  });

  test('it gets a new mark', async () => {
    const creation = ruleOf(one, 'a-00000000', { description: 'text' });
    const observed = await createOne(one.session, creation);
    const mark = { ...creation.mark, store: 'store-2', intent: 'i-2' };
    must((await rules().update([{ desired: creation.desired, observed, changes: [], mark }], recordedCall()))[0]);
    assert.deepEqual((await seen(one.session, 'firewall-rule', 'a-00000000')).signs.mark, mark);
  });

  test('sent again it is the same', async () => {
    const creation = ruleOf(one, 'a-00000000');
    const first = await createOne(one.session, creation);
    const call = recordedCall();
    assert.equal(must((await rules().create([creation], call))[0]).id, first.id);
    assert.deepEqual(writesOf(call), []);
  });
});

describe('what bears no mark of ours there is never touched', () => {
  test('a rule by the name that we want', async () => {
    const creation = ruleOf(one, 'lab');
    assert.deepEqual(codes(await rules().create([creation], recordedCall())), ['conflict Unmarked']);
    assert.equal(await textOf('lab'), 'by hand');
  });

  test('a rule that we would change or delete', async () => {
    const lab = await seen(one.session, 'firewall-rule', 'lab');
    const revision = revisionTo(ruleOf(one, 'lab'), lab, { description: 'ours' });
    assert.deepEqual(codes(await rules().update([revision], recordedCall())), ['conflict Unmarked']);
    assert.deepEqual(codes(await rules().delete([{ id: lab.id, observed: lab }], recordedCall())), [
      'conflict Unmarked',
    ]);
    assert.equal(await textOf('lab'), 'by hand');
  });

  test('a rule that was ours, and whose mark somebody took away since', async () => {
    const creation = ruleOf(one, 'a-00000000');
    const observed = await createOne(one.session, creation);
    await byHand(one.stage, 'PUT', `${markedNsg}/securityRules/a-00000000`, {
      properties: { ...labRule.properties, priority: 100, description: 'mine now' },
    });
    const revision = revisionTo(creation, observed, { description: 'new' });
    assert.deepEqual(codes(await rules().update([revision], recordedCall())), ['conflict Unmarked']);
    assert.deepEqual(codes(await rules().delete([{ id: observed.id, observed }], recordedCall())), [
      'conflict Unmarked',
    ]);
    assert.equal(await textOf('a-00000000'), 'mine now');
  });

  test('a rule of ours that a colleague changed since it was listed', async () => {
    const creation = ruleOf(one, 'm-00000000', { priority: 150 });
    const observed = await createOne(one.session, creation);
    const marked = await textOf('m-00000000');
    await byHand(one.stage, 'PUT', `${markedNsg}/securityRules/m-00000000`, {
      properties: { ...labRule.properties, priority: 151, description: marked },
    });
    const revision = revisionTo(creation, observed, { order: { priority: 152 } });
    assert.deepEqual(codes(await rules().update([revision], recordedCall())), ['conflict ChangedMeanwhile']);
    const removal = { id: observed.id, observed };
    assert.deepEqual(codes(await rules().delete([removal], recordedCall())), ['conflict ChangedMeanwhile']);
    assert.equal(await textOf('m-00000000'), marked);
  });

  test('a rule that another estate marked', async () => {
    const creation = ruleOf(one, 'a-00000000');
    const theirs = { ...creation, mark: { ...creation.mark, estate: 'umbrella' } };
    const observed = await createOne(one.session, theirs);
    assert.deepEqual(codes(await rules().create([creation], recordedCall())), ['conflict Unmarked']);
    const removal = { id: observed.id, observed: { ...observed, signs: { mark: creation.mark } } };
    assert.deepEqual(codes(await rules().delete([removal], recordedCall())), ['conflict Unmarked']);
    const place = { prefix, name: 'a-00000000' };
    assert.equal(readRuleMark(await textOf('a-00000000'), place).mark?.estate, 'umbrella');
  });

  test('a rule in a group that was ours when we looked', async () => {
    const fresh = await markedEstate();
    const creation = ruleOf(fresh, 'a-00000000');
    const observed = await createOne(fresh.session, creation);
    await byHand(fresh.stage, 'PATCH', markedNsg, { tags: {} });
    const remove = fresh.session.actuators['firewall-rule'].delete([{ id: observed.id, observed }], recordedCall());
    assert.deepEqual(codes(await remove), ['conflict Unmarked']);
  });
});

test('a description that leaves no room for the mark says how much there is', async () => {
  const creation = ruleOf(one, 'a-00000000', { description: 'x'.repeat(120) });
  const [result] = await rules().create([creation], recordedCall());
  assert.ok(result?.ok === false);
  assert.equal(`${result.failure.kind} ${result.failure.code}`, 'terminal DescriptionTooLong');
  assert.match(result.failure.message, /room for \d+ beside the mark: shorten it/);
});

/** A colleague's own rule, as he sends it: ssh from one address, numbered 4000, with the text `by hand`. */
const labRule = {
  properties: {
    priority: 4000,
    direction: 'Inbound',
    access: 'Allow',
    protocol: 'Tcp',
    sourceAddressPrefix: '10.9.9.9',
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: '22',
    description: 'by hand',
  },
};
