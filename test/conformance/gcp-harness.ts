import { dialect } from '../../providers/gcp/dialect.ts';
import { type Action, actions, batches } from '../../providers/gcp/rate-limits.ts';
import type { SandboxOptions } from '../../sandbox/index.ts';
import type { Recorder } from '../../scripts/demo/recorder.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { openGcpStage, project, region, zone } from '../support/gcp-session.ts';
import { gcpBeside, gcpByHand } from './gcp-by-hand.ts';
import type { Opened } from './harness.ts';
import { sandboxPackets } from './packets.ts';
import { sandboxTrouble } from './sandbox-trouble.ts';
import type { Subject } from './subject.ts';

export const gcpSubject: Subject = {
  dialect,
  manners: {
    owned: { network: 'mark', subnet: 'mark', group: 'mark', 'firewall-rule': 'mark', instance: 'mark' },
    together: [],
    unsaid: ['one type and code of icmp', 'every code of a type of icmp', 'anyone'],
    refused: ['another type of disk'],
    lostBetween: ['another block', 'a block less', 'everyone in the network instead of a group'],
    spells: true,
    bearsRules: false,
  },
};

/** The Google Cloud provider, through the real SDK, before an empty project of the sandbox. */
export async function openGcp(record?: Recorder, options: SandboxOptions = {}): Promise<Opened> {
  const stage = await openGcpStage({ compute: { quotas: { networks: 100 } }, ...options }, record);
  const { clock, faults, spellings } = stage.sandbox.control;
  let session = await stage.open();
  return {
    close: () => stage.close(),
    harness: {
      get session() {
        return session;
      },
      words: {
        place: { account: project, region, zone },
        machine: {
          image: 'projects/debian-cloud/global/images/family/debian-12',
          sizes: ['e2-small', 'e2-medium'],
          disks: ['pd-balanced', 'pd-ssd'],
          identities: [`web@${project}.iam.gserviceaccount.com`, `db@${project}.iam.gserviceaccount.com`],
        },
        labels: { tier: 'web', with_a: 'mark-and_more', empty: '', umlaut: 'no' },
        nowhere: (kind) => nowhere[kind],
      },
      run: async (work) => {
        const result = await stage.run(work);
        // why: a call that nobody awaited, as after a lost answer, ends before the next try
        clock.advance(60_000);
        return result;
      },
      settle: async () => {
        clock.advance(600_000);
        session = await stage.open();
      },
      trouble: sandboxTrouble(faults, { reads, writes }, 'backendError'),
      spell: spellings.set,
      byHand: gcpByHand(stage.sandbox.url, () => clock.advance(60_000)),
      beside: gcpBeside(stage.sandbox),
      batches,
      clock: stage.clock,
      packets: sandboxPackets(stage.sandbox, 'gcp', project),
    },
  };
}

// why: an object's keys are text to TypeScript
const names = Object.keys(actions) as readonly Action[];
const named = (wanted: (action: Action) => boolean): readonly string[] =>
  names.filter(wanted).map((action) => `compute.${action}`);

const writes = named((action) => actions[action] === 'write');
/** Waits for operations belong to their writes. */
const reads = named((action) => actions[action] !== 'write' && !action.includes('Operations.'));

const nowhere: Readonly<Record<Kind, CloudId>> = {
  network: `projects/${project}/global/networks/nowhere#1`,
  subnet: `projects/${project}/regions/${region}/subnetworks/nowhere#1`,
  group: 'tag:nowhere',
  'firewall-rule': `projects/${project}/global/firewalls/nowhere#1`,
  instance: `projects/${project}/zones/${zone}/instances/nowhere#1`,
};
