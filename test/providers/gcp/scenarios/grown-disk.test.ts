import { test } from 'node:test';
import { keepsGrownDisk } from '../../../support/engine-world/laws.ts';
import { zone } from '../../../support/gcp-session.ts';
import { gcpWorld, machine } from './gcp-world.ts';

interface Instance {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
}

test('a disk that somebody grew is kept, and so is its machine', async () => {
  await using world = await gcpWorld();
  const web = () => world.ask<Instance>('GET', `zones/${zone}/instances/web-0`);
  await keepsGrownDisk(world, machine, {
    size: 20,
    grow: async () => {
      await world.ask('POST', `zones/${zone}/disks/web-0/resize`, { sizeGb: '40' });
      const { labels, labelFingerprint } = (await web()).body;
      const body = { labels: { ...labels, tier: 'by-hand' }, labelFingerprint };
      await world.ask('POST', `zones/${zone}/instances/web-0/setLabels`, body);
    },
    seen: async () => {
      const instance = (await web()).body;
      const disk = await world.ask<{ readonly sizeGb: string }>('GET', `zones/${zone}/disks/web-0`);
      return { machines: [instance.id], sizes: [Number(disk.body.sizeGb)], tier: instance.labels['tier'] };
    },
  });
});
