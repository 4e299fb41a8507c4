import type { Logged } from '../../sandbox/request-log.ts';
import type { Fleet } from './fleet.ts';

/** An estate that people steer while workers change it: groups with a rule each, and machines, in three scopes. */
export interface Steered {
  /** Let through by every rule. */
  readonly port: number;
  readonly mode: 'observe' | 'plan' | 'enforce';
  readonly replicas: number;
  /** Of the machines. */
  readonly protect: boolean;
}

export const account = '111122223333';
export const steeredRegions = ['eu-west-1', 'eu-central-1', 'us-east-1'] as const;
export const scopeIn = (region: string): string => `aws/${account}/${region}`;
export const groups = 12;
const peer = '192.0.2.0/24';

/** Of the rule that the group with this number is to have. */
export const ruleAddress = (region: string, group: number, port: number): string =>
  `${scopeIn(region)}/firewall-rule/core.g${group}.ingress.tcp.${port}.${peer}`;

/** Rules with an even number are `team-even`'s. */
export function steered(endpoint: string, { port, mode, replicas, protect }: Steered): string {
  const targets = steeredRegions.map(
    (region) =>
      `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const rules = Array.from(
    { length: groups },
    (_, n) =>
      `kind: FirewallRule\nmetadata: { name: r${n}, owner: team-${n % 2 === 0 ? 'even' : 'odd'} }\nspec: { network: core, protocol: tcp, ports: [${port}], group: g${n}, peers: { cidrs: [${peer}] } }`,
  );
  const everywhere = `targets: [${steeredRegions.join(', ')}]`;
  return [
    `kind: Estate\nmetadata: { name: fleet }\nspec: { mode: ${mode}, limits: { deletes: 100000, replaces: 100000, creates: 100000, closures: 100000, share: 100% } }`,
    ...targets,
    `kind: Network\nmetadata: { name: core }\nspec: { ${everywhere}, cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    ...rules,
    `kind: Instance\nmetadata: { name: web }\nspec: { ${everywhere}, replicas: ${replicas}, protect: ${protect}, network: core, subnet: app, image: ami-0abc0abc0abc0abc0, size: t3.small }`,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** Of the group that a request is about; undefined: of none. */
export function groupOf({ sandbox }: Fleet, { region, params }: Logged): number | undefined {
  const name = sandbox.control.ec2.region(account, region).groups.get(params['GroupId'] ?? '')?.name ?? '';
  const number = /\bg(\d+)$/.exec(name)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The regions in which exactly this is there. */
export const converged = (fleet: Fleet, wanted: Pick<Steered, 'port' | 'replicas'>): readonly string[] =>
  steeredRegions.filter((region) => isConverged(fleet, region, wanted));

function isConverged({ sandbox }: Fleet, region: string, { port, replicas }: Pick<Steered, 'port' | 'replicas'>) {
  const { rules, instances } = sandbox.control.ec2.region(account, region);
  const open = [...rules.values()].filter(({ egress, peer: from }) => !egress && from.kind === 'ipv4');
  const byGroup = Map.groupBy(open, ({ groupId }) => groupId);
  const right = [...byGroup.values()].filter(
    ([one, ...more]) => more.length === 0 && one?.traffic.from === port,
  ).length;
  const up = [...instances.values()].filter(({ power }) => power.state === 'running' || power.state === 'pending');
  return right === groups && up.length === replicas;
}

/** Somebody closes every rule by hand. */
export function closeAll({ sandbox }: Fleet): void {
  for (const region of steeredRegions) {
    const { rules } = sandbox.control.ec2.region(account, region);
    for (const { id, egress, peer: from } of [...rules.values()]) if (!egress && from.kind === 'ipv4') rules.remove(id);
  }
}
