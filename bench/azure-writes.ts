import { azure } from '../providers/azure/index.ts';
import type { Subscription } from '../sandbox/arm/subscription.ts';
import type { Logged } from '../sandbox/request-log.ts';
import type { SpecFile } from '../src/source/tree.ts';
import type { Place } from './estate/specs.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { type CloudScope, openStage, type Stage } from './world/stage.ts';

/**
 * Requests that write 1,000 rules into one NSG whose network stands. That is what one holds
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits): 999 documents, and
 * the rule that denies what no document allows, which stands with the network. Asked: at most 2.
 */
export async function nsg1000(documents = 999, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const { writes, subscription } = await writesBetween(
    { subnets: 1, rules: 0 },
    { subnets: 1, rules: documents },
    spoil,
  );
  const [held = 0, ...others] = [...subscription.securityGroups.values()].map(({ rules }) => rules.length);
  if (held !== documents + 1 || others.length > 0) throw new Error(`${held} rules stand in ${others.length + 1} NSGs`);
  return [{ name: 'nsg-1000', value: writes.length, unit: `writes for ${held} rules`, floor: 1, ratio: writes.length }];
}

/** Requests that write 1,000 subnets into one VNet that stands. Asked: at most 2. */
export async function subnets1000(subnets = 1000, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const { writes, subscription } = await writesBetween({ subnets: 0, rules: 0 }, { subnets, rules: 0 }, spoil);
  const all = [...subscription.networks.values()].flatMap((network) => network.subnets);
  const held = all.filter(({ path }) => /\/s\d+$/.test(path)).length;
  if (held !== subnets) throw new Error(`${held} subnets stand, not ${subnets}`);
  return [
    { name: 'subnets-1000', value: writes.length, unit: `writes for ${held} subnets`, floor: 1, ratio: writes.length },
  ];
}

interface NetworkShape {
  /** At most 1024, as each is a /26 of a /16. */
  readonly subnets: number;
  readonly rules: number;
}

/** An estate of one network on Azure, and its rules, which are for every instance. */
const networkSpecs = ({ subnets, rules }: NetworkShape, place: Place): readonly SpecFile[] => [
  { path: 'estate.yaml', text: joined([estateText, targetText(place), networkText(subnets)]) },
  ...(rules === 0 ? [] : [{ path: 'rules.yaml', text: joined(Array.from({ length: rules }, (_, r) => ruleText(r))) }]),
];

const estateText = 'kind: Estate\nmetadata: { name: bench }\nspec: {}';

const targetText = ({ account, region, endpoint }: Place): string =>
  `kind: Target\nmetadata: { name: prod }\nspec: { provider: azure, account: ${account}, region: ${region}, resourceGroup: rg-app, endpoint: "${endpoint}" }`;

const networkText = (subnets: number): string =>
  `kind: Network
metadata: { name: core }
spec: { targets: [prod], cidr: 10.20.0.0/16, subnets: [${Array.from({ length: subnets }, (_, s) => subnetText(s)).join(', ')}] }`;

const subnetText = (s: number): string => `{ name: s${s}, cidr: 10.20.${Math.floor(s / 4)}.${(s % 4) * 64}/26 }`;

const ruleText = (r: number): string =>
  `kind: FirewallRule
metadata: { name: rule-${r} }
spec: { network: core, protocol: tcp, ports: [${8000 + r}], peers: { cidrs: [192.168.${r % 256}.0/24] }, description: port ${8000 + r} }`;

const joined = (documents: readonly string[]): string =>
  documents.map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');

const account = '0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const cloudScope: CloudScope = { provider: azure, account, region: 'westeurope' };

interface Written {
  /** Mutating requests that were sent once the first shape stood. */
  readonly writes: readonly Logged[];
  /** As it truly is at the end. */
  readonly subscription: Subscription;
}

/** Converges a network to one shape and then to another, with all budgets on; each time to the end. */
export async function writesBetween(first: NetworkShape, then: NetworkShape, spoil: Spoil): Promise<Written> {
  const stage = await openStage({ arm: { subscriptions: [account] } }, cloudScope);
  const { control } = stage.sandbox;
  try {
    await converged(stage, first);
    control.log.clear();
    await spoil(control);
    await converged(stage, then);
    const writes = control.log.entries({ mutating: true });
    console.error(`writes: ${JSON.stringify(control.log.counts())}`);
    return { writes, subscription: control.arm.subscription(account) };
  } finally {
    await stage.close();
  }
}

async function converged({ apply, place }: Stage, shape: NetworkShape): Promise<void> {
  const { outcome, last } = await apply(networkSpecs(shape, place));
  const left = last?.plan.actions.length ?? -1;
  if (outcome !== 'done' || left !== 0) throw new Error(`it ended as ${outcome}, with ${left} actions left`);
}
