import { test } from 'node:test';
import { keepsGrownDisk } from '../../../support/engine-world/laws.ts';
import { azureWorld, machine } from './azure-world.ts';

test('a disk that somebody grew is kept, and so is its machine', async () => {
  await using world = await azureWorld();
  const vm = 'Compute/virtualMachines/web-0';
  await keepsGrownDisk(world, machine, {
    // as large as the image
    size: 30,
    grow: async () => {
      await world.ask('POST', `${vm}/deallocate`);
      await world.ask('PATCH', 'Compute/disks/web-0-disk', { properties: { diskSizeGB: 40 } });
      await world.ask('POST', `${vm}/start`);
      const { tags } = await world.ask('GET', vm);
      await world.ask('PATCH', vm, { tags: { ...tags, tier: 'by-hand' } });
    },
    seen: async () => {
      const { properties, tags } = await world.ask('GET', vm);
      const disk = await world.ask('GET', 'Compute/disks/web-0-disk');
      return {
        machines: [String(properties['vmId'])],
        sizes: [Number(disk.properties['diskSizeGB'])],
        tier: tags?.['tier'],
      };
    },
  });
});
