import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../sandbox/index.ts';
import { hmacHeaders } from '../src/http/webhooks/adapters/hmac.ts';

const account = '111122223333';
const region = 'eu-west-1';

interface Size {
  readonly groups: number;
  /** Of each group. */
  readonly rules: number;
}

/**
 * One scope that heals by itself, with a hook for pushes and one for the cloud's events. Each group lets `port` through, and the
 * ports after it, from one network.
 */
export function hookedSpecs(endpoint: string, port: number, { groups, rules }: Size = { groups: 1, rules: 1 }): string {
  const hooks = [
    { name: 'push', from: 'hmac', secret: { env: 'SETPOINT_SECRET_HOOK' } },
    { name: 'trail', from: 'eventbridge', secret: { env: 'SETPOINT_SECRET_TRAIL' } },
  ];
  const documents = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits: lifted, hooks } },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'aws', account, region, endpoint } },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.0.0/19' }] },
    },
    ...Array.from({ length: groups * rules }, (_, n) => ({
      kind: 'FirewallRule',
      metadata: { name: `r${n}` },
      spec: {
        network: 'core',
        protocol: 'tcp',
        ports: [port + (n % rules)],
        group: `g${Math.floor(n / rules)}`,
        peers: { cidrs: ['192.0.2.0/24'] },
      },
    })),
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
}

const lifted = { deletes: 100_000, replaces: 100_000, creates: 100_000, closures: 100_000, share: '100%' };

/** Ports that any group lets through from a network, rising. */
export function openPorts({ control }: Sandbox): readonly number[] {
  const { rules } = control.ec2.region(account, region);
  const open = [...rules.values()].filter(({ egress, peer }) => !egress && peer.kind === 'ipv4');
  return [...new Set(open.map(({ traffic }) => traffic.from ?? -1))].toSorted((a, b) => a - b);
}

/** Rings as a script does after a push: see docs/events.md. Throws where it is not taken. */
export async function ringHook(url: string, secret: string): Promise<void> {
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const signed = hmacHeaders(secret, { delivery: randomUUID(), at: Date.now(), body });
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body,
  });
  if (!answer.ok) throw new Error(`the hook said ${answer.status}: ${await answer.text()}`);
}
