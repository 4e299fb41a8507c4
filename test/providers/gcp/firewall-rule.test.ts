import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { FieldChange } from '../../../src/core/diff.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId } from '../../../src/core/resource.ts';
import { markFor, recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand } from '../../support/gcp-session.ts';
import {
  createOne,
  deleteOne,
  type Estate,
  makeEstate,
  pathOf,
  revise,
  ruleOf,
  said,
  seen,
  updateOne,
} from './estate.ts';

let estate: Estate;
beforeEach(async () => {
  estate = await makeEstate();
});
afterEach(() => estate.stage.close());

interface Wire {
  readonly id: string;
  readonly description?: string;
  readonly sourceRanges?: readonly string[];
  readonly sourceTags?: readonly string[];
  readonly targetTags?: readonly string[];
  readonly allowed?: readonly { readonly IPProtocol: string; readonly ports?: readonly string[] }[];
  readonly logConfig?: { readonly enable: boolean; readonly metadata?: string };
  readonly priority?: number;
}

const wire = (id: CloudId): Promise<Wire> => byHand(estate.stage, 'GET', pathOf(id));

type Rule = Attributes['firewall-rule'];

/** Applies `change` to the rule. */
async function rewrite(
  observed: Observed<'firewall-rule'>,
  change: (was: Rule) => Rule,
  changes: readonly FieldChange[],
) {
  const creation = ruleOf(estate);
  return updateOne(estate, revise(creation, observed, { attributes: change(creation.desired.attributes), changes }));
}

const made = async (over: Parameters<typeof ruleOf>[1] = {}): Promise<Observed<'firewall-rule'>> =>
  seen(estate, 'firewall-rule', (await createOne(estate, ruleOf(estate, over))).id);

const matchTo = (to: unknown): readonly FieldChange[] => [{ field: 'match.peers', to }];

describe('a rule of ours changes in place', () => {
  test('a list can be emptied: the tags that it let in are gone, not kept', async () => {
    const observed = await made({ peers: ['10.0.0.0/8', 'tag:core-lb'] });
    const result = await rewrite(
      observed,
      (was) => ({ ...was, match: { ...was.match, peers: ['10.0.0.0/8'] } }),
      matchTo([]),
    );
    assert.equal(said(result), 'ok');
    const now = await wire(observed.id);
    assert.deepEqual([now.sourceTags ?? [], now.sourceRanges], [[], ['10.0.0.0/8']]);
    assert.equal((await seen(estate, 'firewall-rule', observed.id)).id, observed.id);
  });

  test('so can the list of blocks, where tags remain: it is never everywhere in between', async () => {
    const observed = await made({ peers: ['10.0.0.0/8', 'tag:core-lb'] });
    await rewrite(observed, (was) => ({ ...was, match: { ...was.match, peers: ['tag:core-lb'] } }), matchTo([]));
    assert.deepEqual((await seen(estate, 'firewall-rule', observed.id)).attributes.match.peers, ['tag:core-lb']);
  });

  test('by one write, for any change', async () => {
    const observed = await made();
    const creation = ruleOf(estate, { ports: '80,443', peers: ['192.168.0.0/16'] });
    const attributes = {
      ...creation.desired.attributes,
      description: 'new',
      order: { priority: 7, disabled: true, log: true },
    };
    const changes = ['match.ports', 'match.peers', 'description', 'order.priority', 'order.disabled', 'order.log'];
    const call = recordedCall();
    const revision = revise(creation, observed, { attributes, changes: changes.map((field) => ({ field, to: 'x' })) });
    assert.equal(said(await updateOne(estate, revision, call)), 'ok');
    assert.deepEqual(writesOf(call), ['firewalls.patch']);
    assert.deepEqual((await seen(estate, 'firewall-rule', observed.id)).attributes, attributes);
  });
});

describe('a PATCH names the fewest fields', () => {
  /** Each field is set by hand to `by`, and then written back to `was`, which is 0, false or none. */
  const rows = [
    { field: 'order.priority', by: { priority: 7 }, was: { priority: 0, disabled: false, log: false } },
    { field: 'order.disabled', by: { disabled: true }, was: { priority: 1000, disabled: false, log: false } },
    { field: 'order.log', by: { logConfig: { enable: true } }, was: { priority: 1000, disabled: false, log: false } },
  ];
  for (const { field, by, was } of rows)
    test(`${field}, where it is nothing to speak of`, async () => {
      const creation = ruleOf(estate, {}, { order: was });
      const { id } = await createOne(estate, creation);
      await byHand(estate.stage, 'PATCH', pathOf(id), by);
      const observed = await seen(estate, 'firewall-rule', id);
      const revision = revise(creation, observed, {
        attributes: creation.desired.attributes,
        changes: [{ field, to: 'x' }],
      });
      const call = recordedCall();
      assert.equal(said(await updateOne(estate, revision, call)), 'ok');
      assert.deepEqual(writesOf(call), ['firewalls.patch']);
      assert.deepEqual((await seen(estate, 'firewall-rule', id)).attributes.order, was);
    });

  test('a rule of several protocols, accounts and blocks of machines is brought back to one', async () => {
    const creation = ruleOf(estate, { targets: [] });
    const { id } = await createOne(estate, creation);
    await byHand(estate.stage, 'PATCH', pathOf(id), {
      allowed: [{ IPProtocol: 'tcp', ports: ['443'] }, { IPProtocol: 'udp' }],
      sourceServiceAccounts: ['web@acme-prod.iam.gserviceaccount.com'],
      destinationRanges: ['10.20.1.0/24'],
    });
    const observed = await seen(estate, 'firewall-rule', id);
    const changes = ['match.protocol', 'match.ports', 'match.peers', 'match.targets'].map((field) => ({ field }));
    const { attributes } = creation.desired;
    assert.equal(said(await updateOne(estate, revise(creation, observed, { attributes, changes }))), 'ok');
    assert.deepEqual((await seen(estate, 'firewall-rule', id)).attributes, attributes);
  });

  test('a write that waited finds another sort of write needed, and leaves it to the next plan', async () => {
    const observed = await made({ peers: ['10.0.0.0/8', 'tag:core-lb'] });
    const creation = ruleOf(estate, { peers: ['10.0.0.0/8'] });
    const { attributes } = creation.desired;
    const call = recordedCall(undefined, async ({ mutating }) => {
      if (!mutating) return;
      await byHand(estate.stage, 'PATCH', pathOf(observed.id), { sourceTags: ['core-db', 'core-lb'] });
    });
    const revision = revise(creation, observed, { attributes, changes: [{ field: 'match.peers' }] });
    assert.equal(said(await updateOne(estate, revision, call)), 'conflict ChangedMeanwhile');
    assert.deepEqual((await wire(observed.id)).sourceTags, ['core-db', 'core-lb']);
  });
});

describe('values of others stay', () => {
  test('differences are written, the rest stays as the cloud spells it', async () => {
    const observed = await made();
    const logged = { enable: true, metadata: 'EXCLUDE_ALL_METADATA' };
    const allowed = [{ IPProtocol: 'tcp', ports: ['443', '443-443'] }];
    await byHand(estate.stage, 'PATCH', pathOf(observed.id), { allowed, logConfig: logged });
    await rewrite(observed, (was) => ({ ...was, description: 'new' }), [{ field: 'description', to: 'new' }]);
    const now = await wire(observed.id);
    assert.deepEqual([now.logConfig, now.allowed], [logged, allowed]);
    assert.match(now.description ?? '', /^new\n\{"setpoint":/);
  });

  test('which metadata is logged is nobody’s wish, and stays', async () => {
    const observed = await made();
    await byHand(estate.stage, 'PATCH', pathOf(observed.id), {
      logConfig: { enable: true, metadata: 'EXCLUDE_ALL_METADATA' },
    });
    const to = { priority: 5, disabled: false, log: true };
    await rewrite(observed, (was) => ({ ...was, order: to }), [{ field: 'order.priority', to: 5 }]);
    const now = await wire(observed.id);
    assert.deepEqual([now.priority, now.logConfig?.metadata], [5, 'EXCLUDE_ALL_METADATA']);
  });

  test('with its new mark, and its text stays', async () => {
    const observed = await made();
    const mark = markFor('gcp/acme-prod/global/firewall-rule/core.renamed-1a2b3c4d', 'intent-9');
    const revision = { ...revise(ruleOf(estate), observed, { attributes: observed.attributes, changes: [] }), mark };
    assert.equal(said(await updateOne(estate, revision)), 'ok');
    assert.equal(said(await updateOne(estate, revision)), 'ok');
    const now = await seen(estate, 'firewall-rule', observed.id);
    assert.deepEqual([now.signs.mark, now.attributes.description], [mark, 'public site']);
  });

  test('nothing to change sends nothing', async () => {
    const observed = await made();
    const call = recordedCall();
    await updateOne(estate, revise(ruleOf(estate), observed, { attributes: observed.attributes, changes: [] }), call);
    assert.deepEqual(call.admitted, []);
  });
});

describe('a firewall that is not ours is never touched', () => {
  const foreign = async (): Promise<Observed<'firewall-rule'>> => {
    await byHand(estate.stage, 'POST', 'global/firewalls', {
      name: 'theirs',
      network: 'global/networks/core',
      allowed: [{ IPProtocol: 'tcp', ports: ['22'] }],
      description: 'ssh for ops',
    });
    const { id } = await wire('global/firewalls/theirs');
    return seen(estate, 'firewall-rule', `projects/acme-prod/global/firewalls/theirs#${id}`);
  };

  test('by no update', async () => {
    const observed = await foreign();
    const result = await rewrite(observed, (was) => ({ ...was, description: 'new' }), [
      { field: 'description', to: 'new' },
    ]);
    assert.equal(said(result), 'terminal NotOurs');
    assert.ok(!result.ok && /adopt it first/.test(result.failure.message));
    assert.equal((await wire(observed.id)).description, 'ssh for ops');
  });

  test('by no deletion', async () => {
    const observed = await foreign();
    assert.equal(said(await deleteOne(estate, observed)), 'terminal NotOurs');
    assert.equal((await wire(observed.id)).description, 'ssh for ops');
  });

  test('but by an adoption, which marks it and changes nothing else', async () => {
    const observed = await foreign();
    const mark = markFor('gcp/acme-prod/global/firewall-rule/core.ssh-1a2b3c4d', 'intent-9');
    const revision = { ...revise(ruleOf(estate), observed, { attributes: observed.attributes, changes: [] }), mark };
    assert.equal(said(await updateOne(estate, revision)), 'ok');
    const now = await seen(estate, 'firewall-rule', observed.id);
    assert.deepEqual([now.signs.mark, now.attributes], [mark, observed.attributes]);
  });

  test('nor one that another estate marked since it was seen', async () => {
    const observed = await made();
    const theirs = JSON.stringify({ setpoint: { estate: 'other', store: 's', address: 'a' } });
    await byHand(estate.stage, 'PATCH', pathOf(observed.id), { description: theirs });
    assert.equal(said(await deleteOne(estate, observed)), 'conflict MarkChanged');
    const update = await rewrite(observed, (was) => ({ ...was, description: 'new' }), [
      { field: 'description', to: 'new' },
    ]);
    assert.equal(said(update), 'conflict MarkChanged');
    assert.equal((await wire(observed.id)).description, theirs);
  });

  test('nor one that took the name of ours', async () => {
    const observed = await made();
    await byHand(estate.stage, 'DELETE', pathOf(observed.id));
    await byHand(estate.stage, 'POST', 'global/firewalls', {
      name: 'core-web-https-1a2b3c4d',
      network: 'global/networks/core',
      allowed: [{ IPProtocol: 'tcp' }],
    });
    const update = await rewrite(observed, (was) => ({ ...was, description: 'new' }), [
      { field: 'description', to: 'new' },
    ]);
    assert.equal(said(update), 'not-found notFound');
    assert.equal(said(await deleteOne(estate, observed)), 'ok');
    assert.equal((await wire(observed.id)).description ?? '', '');
  });
});
