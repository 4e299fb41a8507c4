import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { makeListings } from '../../../providers/azure/listings.ts';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { account, at, network, type Reply, type ScriptedArm, scriptedArm } from './scripted-arm.ts';

const open: ScriptedArm[] = [];
after(async () => {
  for (const arm of open) await arm.close();
});

const vnet = (name: string, over: object = {}) => ({
  id: network(`virtualNetworks/${name}`),
  name,
  location: 'westeurope',
  ...over,
});

/** `next`: it leads to the following one. */
type Page = Reply | { readonly value: readonly object[]; readonly next?: boolean };

async function paged(...pages: readonly Page[]) {
  let page = 0;
  const arm: ScriptedArm = await scriptedArm(({ path }) => {
    if (!path.endsWith('/virtualNetworks')) return { body: {} };
    const one = pages[Math.min(page++, pages.length - 1)];
    if (one === undefined || typeof one === 'string' || !('value' in one)) return one ?? 'reset';
    const nextLink = `${arm.url}${at('providers/Microsoft.Network/virtualNetworks')}?token=${page}`;
    return { body: { value: one.value, ...(one.next ? { nextLink } : {}) } };
  });
  open.push(arm);
  const client = await arm.open();
  return { arm, client, listings: makeListings({ client, account, location: 'westeurope', clock: arm.clock }) };
}

const names = (items: readonly { readonly name?: string }[]): readonly string[] => items.map(({ name = '' }) => name);

describe('a listing', () => {
  test('is whole though a page of it is empty', async () => {
    const { listings } = await paged(
      { value: [vnet('a')], next: true },
      { value: [], next: true },
      { value: [vnet('b')] },
    );
    const call = recordedCall();
    assert.deepEqual(names(await listings.vnets('network', call)), ['a', 'b']);
    assert.deepEqual(
      call.admitted.map(({ action }) => action),
      ['VirtualNetworks_ListAll', 'VirtualNetworks_ListAll', 'VirtualNetworks_ListAll'],
    );
  });

  test('Z28: is of its location, however that is spelled', async () => {
    const { listings } = await paged({
      value: [vnet('a', { location: 'West Europe' }), vnet('b', { location: 'northeurope' }), vnet('c')],
    });
    assert.deepEqual(names(await listings.vnets('network', recordedCall())), ['a', 'c']);
  });

  test('takes a subscription in another case for its own', async () => {
    const { listings } = await paged({ value: [vnet('a', { id: vnet('a').id.toUpperCase() })] });
    assert.deepEqual(names(await listings.vnets('network', recordedCall())), ['a']);
  });

  const short: readonly (readonly [string, readonly Page[], string])[] = [
    [
      'whose second page is refused',
      [
        { value: [vnet('a')], next: true },
        { status: 403, body: { error: { code: 'AuthorizationFailed' } } },
      ],
      'AuthorizationFailed',
    ],
    ['whose second page never comes', [{ value: [vnet('a')], next: true }, 'reset'], 'ECONNRESET'],
    ['without a value', [{ body: { nothing: true } }], 'UnreadableAnswer'],
    ['with something without an id', [{ value: [vnet('a', { id: '' })] }], 'BadItem'],
    ['with something without a place', [{ value: [vnet('a', { location: undefined })] }], 'BadItem'],
    [
      'with something of another subscription',
      [{ value: [vnet('a', { id: vnet('a').id.replace(account, 'bbbb') })] }],
      'wrong-account',
    ],
  ];
  for (const [name, pages, code] of short)
    test(`${name} fails, and is never a shorter one`, async () => {
      const { listings } = await paged(...pages);
      const failed = await listings.vnets('network', recordedCall()).then(
        () => assert.fail('it ended'),
        (error: unknown) => error,
      );
      assert.ok(failed instanceof ListingFailed);
      assert.equal(failed.code, code);
    });

  test('that leads back to itself ends', async () => {
    const arm: ScriptedArm = await scriptedArm(() => ({
      body: { value: [], nextLink: `${arm.url}${at('providers/Microsoft.Network/virtualNetworks')}?token=1` },
    }));
    open.push(arm);
    const client = await arm.open();
    const listings = makeListings({ client, account, location: 'westeurope', clock: arm.clock });
    await assert.rejects(listings.vnets('network', recordedCall()), { code: 'LinkLoop' });
    assert.equal(arm.came.length, 2);
  });
});

describe('a listing that is shared', () => {
  test('is made once for every kind', async () => {
    const { listings, arm } = await paged({ value: [vnet('a')] });
    await Promise.all([listings.vnets('network', recordedCall()), listings.vnets('subnet', recordedCall())]);
    assert.equal(arm.came.length, 1);
  });
  test('is made anew for a kind that asks again', async () => {
    const { listings, arm } = await paged({ value: [vnet('a')] });
    await listings.vnets('network', recordedCall());
    await listings.vnets('network', recordedCall());
    assert.equal(arm.came.length, 2);
  });
  test('is made anew after a write', async () => {
    const { listings, client, arm } = await paged({ value: [vnet('a')] });
    await listings.vnets('network', recordedCall());
    const tagged = await client.ask(recordedCall(), ({ network: { virtualNetworks } }) =>
      virtualNetworks.updateTags('rg', 'a', { tags: {} }),
    );
    assert.ok(tagged.ok);
    await listings.vnets('subnet', recordedCall());
    assert.equal(arm.came.length, 3);
  });
  test('is made anew after a minute', async () => {
    const { listings, arm } = await paged({ value: [vnet('a')] });
    await listings.vnets('network', recordedCall());
    await arm.clock.sleep(60_000);
    await listings.vnets('subnet', recordedCall());
    assert.equal(arm.came.length, 2);
  });
});
