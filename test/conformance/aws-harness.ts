import { dialect } from '../../providers/aws/dialect.ts';
import { actions, batches } from '../../providers/aws/rate-limits.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { account, openAwsStage, region } from '../support/aws-session.ts';
import { awsByHand } from './aws-by-hand.ts';
import type { Opened } from './harness.ts';
import { sandboxPackets } from './packets.ts';
import { sandboxTrouble } from './sandbox-trouble.ts';
import type { Subject } from './subject.ts';

export const awsSubject: Subject = {
  dialect,
  manners: {
    owned: { network: 'mark', subnet: 'mark', group: 'mark', 'firewall-rule': 'container', instance: 'mark' },
    together: ['launches', 'rules', 'labels'],
    unsaid: [],
    refused: [],
    spells: true,
    bearsRules: true,
  },
};

/** The AWS provider, through the real SDK, before an empty account of the sandbox. */
export async function openAws(options: SandboxOptions = {}): Promise<Opened> {
  const stage = await openAwsStage({ quotas: { vpcs: 100 }, ...options });
  const { clock, faults, spellings } = stage.sandbox.control;
  let session = await stage.open();
  const byHand = awsByHand(stage.sandbox.url);
  return {
    close: async () => {
      byHand.close();
      await stage.close();
    },
    harness: {
      get session() {
        return session;
      },
      words: {
        place: { account, region },
        machine: {
          image: 'ami-0abc0abc0abc0abc0',
          sizes: ['t3.small', 't3.medium'],
          disks: ['gp2', 'gp3'],
          identities: ['web-role', 'db-role'],
        },
        labels: { tier: 'web', 'odd key/with.dots': 'a=b c', empty: '', umlaut: 'Größe' },
        zone: 'eu-west-1b',
        nowhere: (kind) => nowhere[kind],
      },
      run: (work) => work(),
      settle: async () => {
        clock.advance(600_000);
        session = await stage.open();
      },
      trouble: sandboxTrouble(faults, { reads, writes }, 'Unavailable'),
      spell: spellings.set,
      byHand: byHand.byHand,
      batches,
      clock: stage.clock,
      packets: sandboxPackets(stage.sandbox, 'aws', account, region),
    },
  };
}

const reads = Object.keys(actions).filter((action) => action.startsWith('Describe'));
const writes = Object.keys(actions).filter(
  (action) => !action.startsWith('Describe') && action !== 'GetCallerIdentity',
);

const nowhere: Readonly<Record<Kind, CloudId>> = {
  network: 'vpc-0fffffffffffffff0',
  subnet: 'subnet-0fffffffffffffff0',
  group: 'sg-0fffffffffffffff0',
  'firewall-rule': 'sg-0fffffffffffffff0/ingress/tcp/1/10.9.0.0/16',
  instance: 'i-0fffffffffffffff0',
};
