import { test } from 'node:test';
import type { BadBoot } from '../../../../sandbox/arm/subscription.ts';
import { account } from '../../../support/azure-session.ts';
import { failsBirths } from '../../../support/engine-world/laws.ts';
import { azureWorld, machine } from './azure-world.ts';

const cases: readonly (readonly [name: string, bad: BadBoot, ending: RegExp])[] = [
  ['shuts down at boot', { stopsAfterMs: 20_000 }, /PowerState\/stopped/],
  [
    'never says that it has booted',
    'times out',
    /OSProvisioningTimedOut: OS Provisioning for VM 'web-\d' did not finish/,
  ],
];

for (const [name, bad, ending] of cases)
  test(`a machine that ${name} is a failed birth`, async () => {
    await using world = await azureWorld();
    await failsBirths(world, machine('web', { replicas: 5 }), {
      doom: ({ control }) => {
        control.arm.subscription(account).badBoots.set('canonical:ubuntu-24_04-lts:server', bad);
      },
      ending,
      launch: 'virtualMachines.createOrUpdate',
    });
  });
