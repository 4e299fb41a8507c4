import type { Sandbox } from '../../sandbox/index.ts';

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
    'kind: Estate\nmetadata: { name: fleet }\nspec: { mode: enforce, limits: { deletes: 100000, replaces: 100000, share: 100% } }',
    ...targets,
    `kind: Network\nmetadata: { name: core }\nspec: { targets: [${regions.join(', ')}], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    ...rules,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** In how many groups of a region exactly this port is let through. */
function groupsWith({ control }: Sandbox, region: string, port: number): number {
  const { rules } = control.ec2.region('111122223333', region);
  const open = [...rules.values()].filter(({ egress, peer }) => !egress && peer.kind === 'ipv4');
  const byGroup = Map.groupBy(open, ({ groupId }) => groupId);
  return [...byGroup.values()].filter(([only, ...others]) => others.length === 0 && only?.traffic.from === port).length;
}

/** The scopes in which every group lets exactly this port through. */
export const scopesWith = (sandbox: Sandbox, port: number): readonly string[] =>
  regions.filter((region) => groupsWith(sandbox, region, port) === groups);
