import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { VirtualMachine } from '@azure/arm-compute';
import { canonicalId } from '../../../providers/azure/ids.ts';
import { identityChange } from '../../../providers/azure/instance/identity.ts';
import { imageReferenceOf, imageTextOf } from '../../../providers/azure/instance/image.ts';
import { machineNamedBy, partIdOf } from '../../../providers/azure/instance/parts.ts';
import { prefix } from '../../support/azure-session.ts';
import { identityId } from './machines.ts';

const identity = identityId('Web').replace('resourcegroups', 'resourceGroups');

describe('an identity that shall be', () => {
  const [web, db] = [canonicalId(identity), canonicalId(`${identity}-db`)];
  const cases = [
    {
      name: 'given to one that has none',
      has: undefined,
      to: 'web',
      want: { type: 'UserAssigned', ids: { [web]: {} } },
    },
    { name: 'what it is, in capitals', has: ['UserAssigned', identity.toUpperCase()], to: 'web', want: undefined },
    { name: 'none, where there is none', has: ['SystemAssigned'], to: undefined, want: undefined },
    { name: 'none', has: ['UserAssigned', web], to: undefined, want: { type: 'None', ids: undefined } },
    {
      name: 'another',
      has: ['UserAssigned', web],
      to: `${identity}-db`,
      want: { type: 'UserAssigned', ids: { [db]: {}, [web]: null } },
    },
    {
      name: 'given beside the machine’s own',
      has: ['SystemAssigned'],
      to: 'web',
      want: { type: 'SystemAssigned, UserAssigned', ids: { [web]: {} } },
    },
    {
      name: 'taken from beside the machine’s own',
      has: ['SystemAssigned, UserAssigned', web],
      to: undefined,
      want: { type: 'SystemAssigned', ids: undefined },
    },
  ];
  for (const { name, has, to, want } of cases) {
    test(name, () => {
      const [type, ...ids] = has ?? [];
      const userAssignedIdentities = Object.fromEntries(ids.map((id) => [id, {}]));
      // why: the SDK's types are narrower than a table's text
      const machine = (has ? { identity: { type, userAssignedIdentities } } : {}) as VirtualMachine;
      const change = identityChange(machine, to, `${prefix}/instance/web-0`);
      assert.deepEqual(change && { type: change.type, ids: change.userAssignedIdentities }, want);
    });
  }
});

describe('an image', () => {
  const gallery = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/x/images/base';
  const cases = [
    {
      text: 'Debian:debian-12:12-gen2:latest',
      reference: { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' },
    },
    { text: gallery, reference: { id: gallery } },
    {
      text: '/CommunityGalleries/x/Images/y',
      reference: { communityGalleryImageId: '/CommunityGalleries/x/Images/y' },
    },
    { text: '/SharedGalleries/x/Images/y', reference: { sharedGalleryImageId: '/SharedGalleries/x/Images/y' } },
  ];
  for (const { text, reference } of cases) {
    test(`${text} goes and comes back`, () => {
      assert.deepEqual(imageReferenceOf(text), reference);
      assert.equal(imageTextOf(reference), text);
    });
  }
  test('that is none, of a disk that was attached, is told so', () => assert.equal(imageTextOf(undefined), ''));
});

describe('the name of a part', () => {
  const place = { subscription: 's', resourceGroup: 'g' };
  for (const part of ['network-interface', 'public-address', 'disk'] as const) {
    test(`${part}: says whose it is`, () =>
      assert.equal(machineNamedBy(part, partIdOf(part, place, 'Web-0').replace(/^.*\//, '').toUpperCase()), 'WEB-0'));
    test(`${part}: of another is none`, () => assert.equal(machineNamedBy(part, 'web-0'), undefined));
  }
  test('an ending alone names nobody', () => assert.equal(machineNamedBy('disk', '-disk'), undefined));
});
