import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../sandbox/index.ts';
import type { Workers } from './fleet.ts';

/** The Estate of a trial: nothing is over a limit, and each deletion begins and ends its grace while the trial runs. */
export const estateOf = (mode: 'enforce' | 'plan' | 'observe' = 'enforce'): string =>
  `kind: Estate\nmetadata: { name: fleet }\nspec: { mode: ${mode}, limits: { deletes: 100000, replaces: 100000, creates: 100000, closures: 100000, share: 100% }, deletionGracePeriod: { network: 5s, subnet: 5s, group: 5s, instance: 5s } }`;

/** One scope with many groups, each with one rule that lets one port through: a change of the port is two calls a group. */
export function manyGroups(endpoint: string, groups: number, port: number): string {
  const rules = Array.from(
    { length: groups },
    (_, n) =>
      `kind: FirewallRule\nmetadata: { name: r${n} }\nspec: { network: core, protocol: tcp, ports: [${port}], group: g${n}, peers: { cidrs: [192.0.2.0/24] } }`,
  );
  return [
    estateOf(),
    `kind: Target\nmetadata: { name: prod }\nspec: { provider: aws, account: "111122223333", region: eu-west-1, endpoint: "${endpoint}" }`,
    'kind: Network\nmetadata: { name: core }\nspec: { targets: [prod], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }',
    ...rules,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** The number of groups of a region that let exactly this port through. */
function groupsWith({ control }: Sandbox, port: number, region = 'eu-west-1'): number {
  const { rules } = control.ec2.region('111122223333', region);
  const open = [...rules.values()].filter(({ egress, peer }) => !egress && peer.kind === 'ipv4');
  const byGroup = Map.groupBy(open, ({ groupId }) => groupId);
  return [...byGroup.values()].filter(([only, ...others]) => others.length === 0 && only?.traffic.from === port).length;
}

/** In how many groups this port is let through, whatever else is. */
export function groupsLetting({ control }: Sandbox, port: number): number {
  const { rules } = control.ec2.region('111122223333', 'eu-west-1');
  const open = [...rules.values()].filter(({ egress, traffic }) => !egress && traffic.from === port);
  return new Set(open.map(({ groupId }) => groupId)).size;
}

/** Until every group lets exactly this port through; how long that took. Throws where it takes longer than `mostMs`. */
export async function untilEachLets(
  port: number,
  { groups, mostMs }: { readonly groups: number; readonly mostMs: number },
  { sandbox, workers }: { readonly sandbox: Sandbox; readonly workers: Pick<Workers, 'pids'> },
): Promise<number> {
  const from = performance.now();
  while (groupsWith(sandbox, port) < groups) {
    if (performance.now() - from > mostMs)
      throw new Error(`${groupsWith(sandbox, port)} of ${groups} groups let ${port} through after ${mostMs / 1000} s`);
    if (workers.pids().length === 0) throw new Error('no worker is left');
    await sleep(50);
  }
  return performance.now() - from;
}

/** Regions of one account: each is a scope of its own. */
export const regions = ['eu-west-1', 'eu-west-2', 'eu-central-1', 'us-east-1', 'us-east-2', 'us-west-2'] as const;

const groups = 4;

/** The same groups in every scope, each with one rule that lets one port through. */
export function manyScopes(endpoint: string, port: number): string {
  const targets = regions.map(
    (region) =>
      `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "111122223333", region: ${region}, endpoint: "${endpoint}" }`,
  );
  const rules = Array.from(
    { length: groups },
    (_, n) =>
      `kind: FirewallRule\nmetadata: { name: r${n} }\nspec: { network: core, protocol: tcp, ports: [${port}], group: g${n}, peers: { cidrs: [192.0.2.0/24] } }`,
  );
  return [
    estateOf(),
    ...targets,
    `kind: Network\nmetadata: { name: core }\nspec: { targets: [${regions.join(', ')}], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    ...rules,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** The scopes in which every group lets exactly this port through. */
export const scopesWith = (sandbox: Sandbox, port: number): readonly string[] =>
  regions.filter((region) => groupsWith(sandbox, port, region) === groups);
