import { test } from 'node:test';
import { account, location, resourceGroup } from '../../../support/azure-session.ts';
import { namesUnlisted } from '../../../support/engine-world/laws.ts';
import { azureWorld } from './azure-world.ts';

test('a subnet that something unlisted stands in: the refusal names it', async () => {
  await using world = await azureWorld();
  const vnet = `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/Microsoft.Network/virtualNetworks/core`;
  await namesUnlisted(world, {
    put: async () => {
      const subnet = { id: `${vnet}/subnets/app` };
      const ipConfigurations = [{ name: 'x', properties: { subnet } }];
      await world.ask('PUT', 'Network/networkInterfaces/theirs', { location, properties: { ipConfigurations } });
    },
    code: /InUseSubnetCannotBeDeleted/,
    name: /There stands \S+networkInterfaces\/theirs\/ipConfigurations\/x\./,
    subnet: 'rg-app/subnet/core.app',
    reading: 'subnets.get',
  });
});
