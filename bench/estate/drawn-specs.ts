import type { SpecFile } from '../../src/source/tree.ts';
import { type Random, randomFrom } from '../world/random.ts';
import { bootScript, type Place } from './specs.ts';

/**
 * An estate of one to three networks in which everything that AWS can do is drawn from seeds. Networks and subnets follow
 * from `seed` alone, as they cannot change; rules and machines from `version` too.
 */
export function drawnSpecs(seed: number, version: number, place: Place): readonly SpecFile[] {
  const fixed = randomFrom(seed * 1000);
  const drawn = randomFrom(seed * 1000 + version);
  const networks = Array.from({ length: 1 + fixed.whole(3) }, (_, n) => drawNetwork(fixed, n));
  const documents = networks.flatMap((network) => [
    networkText(network),
    ...Array.from({ length: 3 + drawn.whole(8) }, (_, i) => ruleText(network, drawn, i)),
    ...Array.from({ length: 1 + drawn.whole(3) }, (_, i) => machineText(network, drawn, i, place)),
  ]);
  return [{ path: 'estate.yaml', text: [...targetTexts(place), ...documents].map(headed).join('---\n') }];
}

const headed = (text: string): string => `apiVersion: setpoint.dev/v1\n${text}\n`;

const targetTexts = ({ account, region, endpoint }: Place): readonly string[] => [
  'kind: Estate\nmetadata: { name: bench }\nspec: {}',
  `kind: Target\nmetadata: { name: prod }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
];

interface Drawn {
  readonly n: number;
  readonly internet: boolean;
  readonly egress: 'allow' | 'deny';
  readonly subnets: number;
}

const drawNetwork = (random: Random, n: number): Drawn => ({
  n,
  internet: random.whole(2) === 0,
  egress: random.pick(['allow', 'deny'], 'allow'),
  subnets: 1 + random.whole(4),
});

function networkText({ n, internet, egress, subnets }: Drawn): string {
  const blocks = Array.from({ length: subnets }, (_, s) => `{ name: s${s}, cidr: 10.${n}.${s}.0/24 }`);
  return `kind: Network
metadata: { name: net-${n}, labels: { team: platform } }
spec: { targets: [prod], cidr: 10.${n}.0.0/16, internet: ${internet}, default: { egress: ${egress} }, subnets: [${blocks.join(', ')}] }`;
}

const groups = ['web', 'app', 'db', ''];

/** Each rule has ports of its own, so that no two are one. */
function ruleText({ n }: Drawn, random: Random, i: number): string {
  const group = random.pick(groups, '');
  const fields = [
    `network: net-${n}`,
    ...(group === '' ? [] : [`group: ${group}`]),
    `direction: ${random.pick(['ingress', 'ingress', 'egress'], 'ingress')}`,
    trafficText(random, i),
    `peers: ${random.pick(i === 0 ? peersOfOneFamily : [...peersOfOneFamily, ...peersOfBoth], '')}`,
    ...(random.whole(2) === 0 ? [] : [`description: rule ${random.whole(100)}`]),
  ];
  return `kind: FirewallRule\nmetadata: { name: rule-${n}-${i} }\nspec: { ${fields.join(', ')} }`;
}

function trafficText(random: Random, i: number): string {
  const port = 8000 + i * 10;
  if (i === 0) return random.pick(['protocol: icmp, icmp: { type: 8 }', 'protocol: icmp', 'protocol: 50'], '');
  const ports = random.pick([`[${port}]`, `[${port}-${port + 5}]`, `[${port}, ${port + 2}-${port + 4}]`], '');
  return `protocol: ${random.pick(['tcp', 'udp'], 'tcp')}, ports: ${ports}`;
}

const peersOfOneFamily = [
  '{ cidrs: [0.0.0.0/0] }',
  '{ cidrs: [10.0.0.0/8, 192.168.0.0/16] }',
  '{ groups: [web] }',
  '{ groups: [app, db], cidrs: [10.1.2.3/32] }',
];
const peersOfBoth = ['{ cidrs: ["2001:db8::/32", 172.16.0.0/12] }', '{ any: true }'];

function machineText({ n, internet, subnets }: Drawn, random: Random, i: number, { image }: Place): string {
  const fields = [
    `targets: [prod], network: net-${n}, subnet: s${random.whole(subnets)}, image: ${image}`,
    `size: ${random.pick(['t3.micro', 't3.small', 't3.large'], 't3.micro')}`,
    `groups: [${random.pick(['web', 'app', 'web, db'], 'web')}]`,
    `replicas: ${random.whole(4)}`,
    `power: ${random.pick(['running', 'running', 'stopped'], 'running')}`,
    `publicIp: ${internet && random.whole(2) === 0}`,
    ...(random.whole(2) === 0 ? [] : [`disk: { size: ${10 + random.whole(20)}, type: gp3, encrypted: true }`]),
    ...(random.whole(2) === 0 ? [] : [`userData: { file: ${bootScript.path} }`]),
  ];
  return `kind: Instance\nmetadata: { name: web-${n}-${i}, labels: { tier: t${random.whole(3)} } }\nspec: { ${fields.join(', ')} }`;
}
