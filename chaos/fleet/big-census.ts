import type { TrialCloud } from '../specs.ts';
import { machinesAt, portAt, type Size } from './big-estate.ts';

/** All that a cloud holds when the specs of big-estate.ts stand there whole: lines as judge/census.ts writes them. */
export function bigCensus(cloud: TrialCloud, size: Size, turn: number): readonly string[] {
  return tables[cloud]({
    port: portAt(turn),
    machines: numbered(machinesAt(size, turn)).map((n) => `m-${n}`),
    groups: numbered(size.groups),
    rules: numbered(size.rules),
  });
}

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

interface Whole {
  readonly port: number;
  readonly machines: readonly string[];
  readonly groups: readonly number[];
  /** Of each group. */
  readonly rules: readonly number[];
}

const aws = ({ port, machines, groups, rules }: Whole): readonly string[] => [
  'vpc big 10.20.0.0/16 env=prod',
  'table of big: 10.20.0.0/16; main',
  'subnet big-app 10.20.0.0/20 of big',
  'group default of big',
  'rule default of big from default of big all',
  'rule default of big to 0.0.0.0/0 all',
  ...['all', ...groups.map((n) => `g${n}`)].flatMap((group) => [
    `group big-${group} of big`,
    `rule big-${group} of big to 0.0.0.0/0 all`,
  ]),
  ...groups.flatMap((group) => rules.map((n) => `rule big-g${group} of big from 198.18.${n}.0/24 tcp ${port}-${port}`)),
  ...machines.flatMap((name) => [
    `machine ${name} t3.small ami-0abcdef1234567890 running tier=app`,
    `volume of ${name}`,
    `interface of ${name}`,
  ]),
];

const gcp = ({ port, machines, groups, rules }: Whole): readonly string[] => [
  'network big',
  'subnet big-app 10.20.0.0/20 of big',
  'route 10.20.0.0/20 of big',
  ...groups.flatMap((group) =>
    rules.map(
      (n) => `rule big-r${group}-${n} of big INGRESS allow tcp ${port} 198.18.${n}.0/24 - - big-g${group} at 1000`,
    ),
  ),
  ...machines.flatMap((name) => [
    `machine ${name} e2-small RUNNING tier=app`,
    `disk ${name} of ${name} from debian-cloud`,
  ]),
];

const azure = ({ port, machines, groups, rules }: Whole): readonly string[] => [
  'resource group acme-prod',
  'network big 10.20.0.0/16 env=prod',
  'subnet app 10.20.0.0/20 of big behind big-nsg',
  'rules big-nsg',
  'rule default-ingress of big-nsg Inbound Deny * * from VirtualNetwork to *',
  'group big-all',
  ...groups.map((group) => `group big-g${group}`),
  ...groups.flatMap((group) =>
    rules.map((n) => `rule r${group}-${n} of big-nsg Inbound Allow Tcp ${port} from 198.18.${n}.0/24 to big-g${group}`),
  ),
  ...machines.flatMap((name) => [
    `machine ${name} Standard_B1ms Debian running tier=app`,
    `interface ${name}-nic of ${name}`,
    `disk ${name}-disk of ${name}`,
  ]),
];

const tables: Readonly<Record<TrialCloud, (whole: Whole) => readonly string[]>> = { aws, gcp, azure };
