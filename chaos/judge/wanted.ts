import type { TrialCloud, Wanted } from '../specs.ts';

/** What of the specs differs between what is wanted (specs.ts), in the words of one cloud. */
interface Words {
  readonly size: string;
  readonly image: string;
}

type Stage = Exclude<Wanted, 'nothing'>;

/**
 * Every object that an account holds when the specs of a stage stand there whole: written by hand from the specs and the
 * clouds' documentation, parts and what a cloud makes by itself included. See census.ts.
 */
export const wantedCensus = (cloud: TrialCloud, stage: Stage): readonly string[] => tables[cloud](stage);

/** Machines, with what is asked of them now. */
const machinesAt = (stage: Stage, first: Words, other: Words) =>
  [
    { name: 'db-0', tier: 'db', ...first },
    {
      name: 'web-0',
      tier: stage === 'updated' ? 'front' : 'web',
      size: stage === 'updated' ? other.size : first.size,
      image: stage === 'replaced' || stage === 'surged' ? other.image : first.image,
    },
  ]
    .flatMap((machine) =>
      machine.name === 'web-0' && stage !== 'reduced' ? [machine, { ...machine, name: 'web-1' }] : [machine],
    )
    .concat(stage === 'reduced' ? [] : [{ name: 'bench-0', tier: 'test', ...first }]);

/** Where names are unique: a successor has a suffix in its name. */
const machinesByName = (stage: Stage, first: Words, other: Words) =>
  machinesAt(stage, first, other).map((machine) =>
    stage === 'surged' && machine.tier === 'web' ? { ...machine, name: `${machine.name}-*` } : machine,
  );

const env = (stage: Stage): string => (stage === 'updated' ? 'live' : 'prod');

const unless = (gone: boolean, ...lines: readonly string[]): readonly string[] => (gone ? [] : lines);

function aws(stage: Stage): readonly string[] {
  const first = { size: 't3.small', image: 'ami-0abcdef1234567890' };
  const office = stage === 'updated' ? '"the new office"' : '"the office"';
  const reduced = stage === 'reduced';
  const born = (vpc: string): readonly string[] => [
    `gateway of ${vpc}`,
    `group default of ${vpc}`,
    `rule default of ${vpc} from default of ${vpc} all`,
    `rule default of ${vpc} to 0.0.0.0/0 all`,
  ];
  const group = (name: string, vpc: string): readonly string[] => [
    `group ${name} of ${vpc}`,
    `rule ${name} of ${vpc} to 0.0.0.0/0 all`,
  ];
  return [
    `vpc core 10.20.0.0/16 env=${env(stage)}`,
    ...born('core'),
    'table of core: 0.0.0.0/0,10.20.0.0/16; core-app,core-db',
    'table of core: 10.20.0.0/16; main',
    'subnet core-app 10.20.1.0/24 of core',
    'subnet core-db 10.20.2.0/24 of core',
    ...['core-all', 'core-db', 'core-web'].flatMap((name) => group(name, 'core')),
    `rule core-all of core from 203.0.113.0/24 tcp 22-22 ${office}`,
    ...unless(stage !== 'updated', `rule core-all of core from 203.0.113.0/24 tcp 2222-2222 ${office}`),
    'rule core-db of core from core-web of core tcp 5432-5432',
    ...unless(
      reduced,
      'rule core-web of core from 0.0.0.0/0 tcp 443-443',
      'vpc lab 10.30.0.0/16 env=test',
      ...born('lab'),
      'table of lab: 0.0.0.0/0,10.30.0.0/16; lab-bench',
      'table of lab: 10.30.0.0/16; main',
      'subnet lab-bench 10.30.1.0/24 of lab',
      ...['lab-all', 'lab-bench'].flatMap((name) => group(name, 'lab')),
      'rule lab-bench of lab from 198.51.100.0/24 tcp 8080-8080',
    ),
    ...machinesAt(stage, first, { size: 't3.medium', image: 'ami-0abc0abc0abc0abc0' }).flatMap(
      ({ name, size, image, tier }) => [
        `machine ${name} ${size} ${image} running tier=${tier}`,
        `volume of ${name}`,
        `interface of ${name}`,
      ],
    ),
  ];
}

function gcp(stage: Stage): readonly string[] {
  const first = { size: 'e2-small', image: 'debian-cloud' };
  const ports = stage === 'updated' ? '22,2222' : '22';
  return [
    'network core',
    'route 0.0.0.0/0 of core',
    'route 10.20.1.0/24 of core',
    'route 10.20.2.0/24 of core',
    'subnet core-app 10.20.1.0/24 of core',
    'subnet core-db 10.20.2.0/24 of core',
    `rule core-ssh of core INGRESS allow tcp ${ports} 203.0.113.0/24 - - core-all at 1000`,
    'rule core-reads of core INGRESS allow tcp 5432 - core-web - core-db at 1000',
    ...unless(
      stage === 'reduced',
      'rule core-https of core INGRESS allow tcp 443 0.0.0.0/0 - - core-web at 1000',
      'network lab',
      'route 0.0.0.0/0 of lab',
      'route 10.30.1.0/24 of lab',
      'subnet lab-bench 10.30.1.0/24 of lab',
      'rule lab-probe of lab INGRESS allow tcp 8080 198.51.100.0/24 - - lab-bench at 1000',
    ),
    ...machinesByName(stage, first, { size: 'e2-medium', image: 'ubuntu-os-cloud' }).flatMap(
      ({ name, size, image, tier }) => [
        `machine ${name} ${size} RUNNING tier=${tier}`,
        `disk ${name} of ${name} from ${image}`,
      ],
    ),
  ];
}

function azure(stage: Stage): readonly string[] {
  const first = { size: 'Standard_B1ms', image: 'Debian' };
  const ports = stage === 'updated' ? '22,2222' : '22';
  const denied = 'Inbound Deny * * from VirtualNetwork to *';
  return [
    'resource group acme-prod',
    `network core 10.20.0.0/16 env=${env(stage)}`,
    'subnet app 10.20.1.0/24 of core behind core-nsg',
    'subnet db 10.20.2.0/24 of core behind core-nsg',
    'rules core-nsg',
    `rule default-ingress of core-nsg ${denied}`,
    `rule ssh of core-nsg Inbound Allow Tcp ${ports} from 203.0.113.0/24 to core-all`,
    'rule reads of core-nsg Inbound Allow Tcp 5432 from core-web to core-db',
    'group core-all',
    'group core-db',
    'group core-web',
    ...unless(
      stage === 'reduced',
      'rule https of core-nsg Inbound Allow Tcp 443 from 0.0.0.0/0 to core-web',
      'network lab 10.30.0.0/16 env=test',
      'subnet bench 10.30.1.0/24 of lab behind lab-nsg',
      'rules lab-nsg',
      `rule default-ingress of lab-nsg ${denied}`,
      'rule probe of lab-nsg Inbound Allow Tcp 8080 from 198.51.100.0/24 to lab-bench',
      'group lab-all',
      'group lab-bench',
    ),
    ...machinesByName(stage, first, { size: 'Standard_B2s', image: 'Canonical' }).flatMap(
      ({ name, size, image, tier }) => [
        `machine ${name} ${size} ${image} running tier=${tier}`,
        `interface ${name}-nic of ${name}`,
        `address ${name}-ip used`,
        `disk ${name}-disk of ${name}`,
      ],
    ),
  ];
}

const tables: Readonly<Record<TrialCloud, (stage: Stage) => readonly string[]>> = { aws, gcp, azure };
