import type { SpecFile } from '../../src/source/spec-file.ts';
import type { Place } from '../estate/specs.ts';

/** How much one virtual network holds. */
export interface NetworkShape {
  /** At most 1024, as each is a /26 of a /16. */
  readonly subnets: number;
  readonly rules: number;
}

/** An estate of one network on Azure, and its rules, which are for every instance. */
export const networkSpecs = ({ subnets, rules }: NetworkShape, place: Place): readonly SpecFile[] => [
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
