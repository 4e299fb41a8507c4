import { dialect } from '../../providers/azure/dialect.ts';
import { actionsThat, batches } from '../../providers/azure/rate-limits.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';
import type { Recorder } from '../../scripts/demo/recorder.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { account, location, openAzureStage, resourceGroup } from '../support/azure-session.ts';
import { azureBeside, azureByHand } from './azure-by-hand.ts';
import type { Opened } from './harness.ts';
import { sandboxPackets } from './packets.ts';
import { sandboxTrouble } from './sandbox-trouble.ts';
import type { Subject } from './subject.ts';

export const azureSubject: Subject = {
  dialect,
  manners: {
    owned: {
      network: 'mark',
      subnet: 'parent',
      group: 'mark',
      'firewall-rule': 'container',
      instance: 'mark',
    },
    together: ['rules'],
    unsaid: [
      'one type and code of icmp',
      'every code of a type of icmp',
      'all of icmpv6',
      'a rule that is switched off, and one that logs',
    ],
    refused: ['switched off'],
    lostBetween: [],
    spells: true,
    bearsRules: false,
  },
};

const inGroup = (type: string, name: string): string =>
  `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/${type}/${name}`;

/** As machines report them; the sandbox knows that they exist, and no more. */
const identities = ['web-role', 'db-role'].map((name) =>
  inGroup('Microsoft.ManagedIdentity/userAssignedIdentities', name).toLowerCase(),
);

/** The Azure provider, through the real SDKs, before an empty subscription of the sandbox. */
export async function openAzure(record?: Recorder, options: SandboxOptions = {}): Promise<Opened> {
  const arm = { estate: { subscriptions: [{ id: account, outside: identities }] } };
  const stage = await openAzureStage({ arm, ...options }, record);
  const { clock, faults, spellings } = stage.sandbox.control;
  let session = await stage.open();
  return {
    close: () => stage.close(),
    harness: {
      get session() {
        return session;
      },
      words: {
        place: { account, region: location, resourceGroup },
        machine: {
          image: 'Canonical:ubuntu-24_04-lts:server:latest',
          sizes: ['Standard_B2s', 'Standard_D2s_v5'],
          disks: ['StandardSSD_LRS', 'Premium_LRS'],
          identities,
          least: { boot: { access: 'sha256:a1' } },
        },
        labels: { tier: 'web', 'odd key.with:dots': 'a=b c', empty: '', umlaut: 'Größe' },
        nowhere: (kind) => nowhere[kind],
      },
      run: async (work) => {
        const result = await work();
        // why: a call that nobody awaited, as after a lost answer, ends before the next try
        clock.advance(60_000);
        return result;
      },
      settle: async () => {
        clock.advance(600_000);
        session = await stage.open();
      },
      trouble: sandboxTrouble(faults, { reads, writes }, 'ServiceUnavailable'),
      spell: spellings.set,
      byHand: azureByHand(stage.sandbox.url, () => clock.advance(60_000)),
      beside: azureBeside(stage.sandbox),
      batches,
      clock: stage.clock,
      packets: sandboxPackets(stage.sandbox, 'azure', account),
    },
  };
}

/** The sandbox calls them as the SDK does: `virtualNetworks.listAll`. */
const named = (write: boolean): readonly string[] =>
  actionsThat(write).map((action) =>
    action.replace('_', '.').replace(/^[A-Z](?=[a-z])|\.[A-Z]/g, (first) => first.toLowerCase()),
  );

const writes = named(true);
/** Polls belong to their writes. */
const reads = named(false).filter((action) => !/operation/i.test(action));

const at = (type: string): CloudId => inGroup(type, 'nowhere').toLowerCase();
const number = '#00000000-0000-4000-8000-000000000000';

const nowhere: Readonly<Record<Kind, CloudId>> = {
  network: at('Microsoft.Network/virtualNetworks') + number,
  subnet: `${at('Microsoft.Network/virtualNetworks')}/subnets/nowhere${number}`,
  group: at('Microsoft.Network/applicationSecurityGroups') + number,
  'firewall-rule': `${at('Microsoft.Network/networkSecurityGroups')}/securityrules/nowhere${number}`,
  instance: at('Microsoft.Compute/virtualMachines') + number,
};
