import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizeSecurityGroupIngressCommand, EC2Client } from '@aws-sdk/client-ec2';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { freePort } from '../scripts/demo/free-port.ts';
import { type Figure, p95 } from './figure.ts';
import { hookedSpecs, openPorts } from './git.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { type Serving, serve, until } from './processes/setpoint.ts';

export interface HealOptions {
  readonly times?: number;
  readonly groups?: number;
  /** Of each group. */
  readonly rules?: number;
}

const secret = 'bench-trail-secret';
const firstPort = 1000;
const rogue = 22;

/**
 * Somebody opens a port by hand, with the cloud's own SDK; the cloud's event tells `setpoint serve`, which takes it back: from
 * the answer to the edit until the cloud does not have it any more. Seconds at p95 of 50, among 2,000 resources. Asked: 3.
 */
export async function eventToHeal({
  times = 50,
  groups = 40,
  rules = 50,
}: HealOptions = {}): Promise<readonly Figure[]> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v1/hooks/acme/trail`;
  const sandbox = await startSandbox({ events: [{ cloud: 'aws', url, apiKey: secret }] });
  const client = new EC2Client({
    endpoint: sandbox.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    return await inScratch(async (folder) => {
      const text = hookedSpecs(sandbox.url, firstPort, { groups, rules });
      await writeFiles(folder, [{ path: 'specs/all.yaml', text }]);
      const keys = { SETPOINT_SECRET_TRAIL: secret, SETPOINT_SECRET_HOOK: 'unused-here' };
      const serving = serve(folder, ['--listen', String(port), '--interval', '1h'], keys);
      try {
        await until(() => ruleCount(sandbox) === groups * rules, serving, 300_000);
        await sleep(settleMs);
        const took: number[] = [];
        for (let i = 0; i < times; i += 1) took.push(await healed({ sandbox, client, serving }, i));
        return [{ name: 'event-to-heal', value: p95(took) / 1000, unit: `s at p95 of ${times}` }];
      } finally {
        await serving.end();
      }
    });
  } finally {
    client.destroy();
    await sandbox.close();
  }
}

/** Time for the rest of the first convergence, and for the events of its own calls. */
const settleMs = 5_000;

interface HealSetup {
  readonly sandbox: Sandbox;
  readonly client: EC2Client;
  readonly serving: Serving;
}

async function healed({ sandbox, client, serving }: HealSetup, i: number): Promise<number> {
  // why: people come at any moment of what the worker does
  await sleep(Math.random() * 1000);
  const groups = [...sandbox.control.ec2.region('111122223333', 'eu-west-1').groups.values()];
  const ours = groups.filter(({ name }) => /^core-g\d+$/.test(name));
  const GroupId = ours[i % ours.length]?.id;
  const IpPermissions = [
    { IpProtocol: 'tcp', FromPort: rogue, ToPort: rogue, IpRanges: [{ CidrIp: '203.0.113.0/24' }] },
  ];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  const from = performance.now();
  await until(() => !openPorts(sandbox).includes(rogue), serving);
  return performance.now() - from;
}

const ruleCount = ({ control }: Sandbox): number =>
  [...control.ec2.region('111122223333', 'eu-west-1').rules.values()].filter(
    ({ egress, peer }) => !egress && peer.kind === 'ipv4',
  ).length;
