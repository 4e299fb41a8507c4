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
  revisionTo,
  ruleOf,
  seen,
} from './estate.ts';
import { labRule } from './lab-rule.ts';

const nsg = inGroup('networkSecurityGroups/core-nsg');

const estate = estates();
let one: Estate;

/** The network's filter is a colleague's: he took our tags off it and holds a rule in it. */
beforeEach(async () => {
  one = await estate();
  await byHand(one.stage, 'PUT', `${nsg}/securityRules/lab`, labRule);
  await byHand(one.stage, 'PATCH', nsg, { tags: { owner: 'lab' } });
});

const rules = () => one.session.actuators['firewall-rule'];
const textOf = async (name: string): Promise<string> => {
  const all = (await byHand(one.stage, 'GET', nsg)).properties?.securityRules ?? [];
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
    await byHand(one.stage, 'PUT', `${nsg}/securityRules/a-00000000`, {
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
    await byHand(one.stage, 'PUT', `${nsg}/securityRules/m-00000000`, {
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
    const fresh = await estate();
    const creation = ruleOf(fresh, 'a-00000000');
    const observed = await createOne(fresh.session, creation);
    await byHand(fresh.stage, 'PATCH', nsg, { tags: {} });
    const remove = fresh.session.actuators['firewall-rule'].delete([{ id: observed.id, observed }], recordedCall());
    assert.deepEqual(codes(await remove), ['conflict Unmarked']);
  });
});

test('a description that leaves no room for the mark says how much there is', async () => {
  const creation = ruleOf(one, 'a-00000000', { description: 'x'.repeat(120) });
  const [result] = await rules().create([creation], recordedCall());
  assert.ok(result?.ok === false);
  assert.equal(`${result.failure.kind} ${result.failure.code}`, 'terminal DescriptionTooLong');
  assert.match(result.failure.message, /room for \d+: shorten it/);
});
