import { test } from 'node:test';
import { failsBirths } from '../../../support/engine-world/laws.ts';
import { project } from '../../../support/gcp-session.ts';
import { gcpWorld, machine } from './gcp-world.ts';

test('a machine that shuts down at boot is a failed birth', async () => {
  await using world = await gcpWorld();
  await failsBirths(world, machine('web', { replicas: 5 }), {
    doom: ({ control }) => {
      control.compute.project(project).badBoots.set('debian-12-bookworm-v20251209', { stopsAfterMs: 20_000 });
    },
    ending: /STOPPING|TERMINATED/,
    launch: 'instances.insert',
  });
});
