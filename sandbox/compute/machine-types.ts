import { ZONES } from './zones.ts';

export type Architecture = 'X86_64' | 'ARM64';

export interface MachineType {
  readonly name: string;
  readonly number: string;
  readonly description: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly chip: Chip;
}

interface Chip {
  readonly architecture: Architecture;
  readonly platform: string;
  readonly shared: boolean;
}

interface Shape {
  readonly name: string;
  readonly mbPerCpu: number;
}

/** A series of types: its shapes, each in all of its sizes. */
interface Series {
  readonly name: string;
  readonly about: string;
  readonly number: number;
  readonly chip: Chip;
  readonly shapes: readonly Shape[];
  readonly cpus: readonly number[];
}

const x86 = (platform: string): Chip => ({ architecture: 'X86_64', platform, shared: false });

/** https://docs.cloud.google.com/compute/docs/general-purpose-machines: vCPUs and memory of each series */
const SERIES: readonly Series[] = [
  {
    name: 'e2',
    about: 'Efficient Instance',
    number: 335_000,
    chip: x86('Intel Broadwell'),
    shapes: [
      { name: 'standard', mbPerCpu: 4096 },
      { name: 'highmem', mbPerCpu: 8192 },
      { name: 'highcpu', mbPerCpu: 1024 },
    ],
    cpus: [2, 4, 8, 16],
  },
  {
    name: 'n1',
    about: 'First Generation',
    number: 3000,
    chip: x86('Intel Haswell'),
    shapes: [{ name: 'standard', mbPerCpu: 3840 }],
    cpus: [1, 2, 4, 8, 16, 32, 64, 96],
  },
  {
    name: 'n2',
    about: 'Second Generation',
    number: 901_000,
    chip: x86('Intel Cascade Lake'),
    shapes: [
      { name: 'standard', mbPerCpu: 4096 },
      { name: 'highmem', mbPerCpu: 8192 },
      { name: 'highcpu', mbPerCpu: 1024 },
    ],
    cpus: [2, 4, 8, 16, 32, 48, 64, 80],
  },
  {
    name: 't2a',
    about: 'Compute Optimized',
    number: 35_000,
    chip: { architecture: 'ARM64', platform: 'Ampere Altra', shared: false },
    shapes: [{ name: 'standard', mbPerCpu: 4096 }],
    cpus: [1, 2, 4, 8, 16, 32, 48],
  },
];

const shared: Chip = { ...x86('Intel Broadwell'), shared: true };

/** https://docs.cloud.google.com/compute/docs/general-purpose-machines#e2-shared-core */
const SHARED_CORE: readonly MachineType[] = [
  { name: 'e2-micro', number: '334002', description: sharedCore(1), cpus: 2, memoryMb: 1024, chip: shared },
  { name: 'e2-small', number: '334003', description: sharedCore(2), cpus: 2, memoryMb: 2048, chip: shared },
  { name: 'e2-medium', number: '334004', description: sharedCore(4), cpus: 2, memoryMb: 4096, chip: shared },
];

/** https://docs.cloud.google.com/compute/docs/regions-zones#available: Ampere is not everywhere. */
const ARM_ZONES: ReadonlySet<string> = new Set([
  'us-central1-a',
  'us-central1-b',
  'us-central1-f',
  'europe-west4-a',
  'europe-west4-b',
  'europe-west4-c',
]);

const TYPES: readonly MachineType[] = [...SHARED_CORE, ...SERIES.flatMap(typesOf)].sort((a, b) =>
  a.name < b.name ? -1 : 1,
);

const byZone: ReadonlyMap<string, ReadonlyMap<string, MachineType>> = new Map(
  ZONES.map(({ name }) => [name, new Map(typesIn(name).map((type) => [type.name, type]))]),
);

/** The predefined types that a zone offers, by name. */
export function machineTypesIn(zone: string): readonly MachineType[] {
  return [...(byZone.get(zone)?.values() ?? [])];
}

/** A type of a zone, predefined or custom such as `e2-custom-4-8192`. */
export function machineTypeNamed(zone: string, name: string): MachineType | undefined {
  return byZone.get(zone)?.get(name) ?? customType(zone, name);
}

/** https://docs.cloud.google.com/compute/docs/instances/creating-instance-with-custom-machine-type */
function customType(zone: string, name: string): MachineType | undefined {
  const [, seriesName, cpuText, memoryText] = /^(?:(e2|n2)-)?custom-(\d{1,3})-(\d{3,7})$/.exec(name) ?? [];
  const series = SERIES.find((each) => each.name === (seriesName ?? 'n1'));
  const [cpus, memoryMb] = [Number(cpuText), Number(memoryText)];
  if (!series || !byZone.has(zone) || !fitsCustom(series, cpus, memoryMb)) return undefined;
  const description = `Custom created machine type. Number of vCPUs: ${cpus}, memory: ${memoryMb} MB.`;
  return { name, number: `${series.number}${cpus}${memoryMb}`, description, cpus, memoryMb, chip: series.chip };
}

function fitsCustom(series: Series, cpus: number, memoryMb: number): boolean {
  const most = Math.max(...series.cpus);
  const perCpu = memoryMb / cpus;
  return (cpus === 1 || cpus % 2 === 0) && cpus <= most && memoryMb % 256 === 0 && perCpu >= 512 && perCpu <= 8192;
}

function typesIn(zone: string): readonly MachineType[] {
  return TYPES.filter(({ chip }) => chip.architecture === 'X86_64' || ARM_ZONES.has(zone));
}

function typesOf(series: Series): readonly MachineType[] {
  return series.shapes.flatMap((shape, index) =>
    series.cpus.map((cpus) => ({
      name: `${series.name}-${shape.name}-${cpus}`,
      number: String(series.number + index * 1000 + cpus),
      description: `${series.about}, ${cpus} vCPUs, ${(cpus * shape.mbPerCpu) / 1024} GB RAM`,
      cpus,
      memoryMb: cpus * shape.mbPerCpu,
      chip: series.chip,
    })),
  );
}

function sharedCore(gb: number): string {
  return `Efficient Instance, 2 vCPU (1/8 shared physical core) and ${gb} GB RAM`;
}
