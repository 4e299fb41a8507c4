import type { Architecture } from './machine-types.ts';
import type { Resource } from './records.ts';

export interface Image extends Resource {
  readonly project: string;
  readonly content: ImageContent;
  readonly metadata: ImageMetadata;
}

interface ImageContent {
  readonly diskSizeGb: number;
  readonly architecture: Architecture;
  readonly licenses: readonly string[];
}

/** The family of an image, and its state in it. A family stands for its newest image that is not deprecated. */
interface ImageMetadata {
  readonly family: string | undefined;
  readonly labels: ReadonlyMap<string, string>;
  readonly deprecated: Deprecation | undefined;
}

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/images, `deprecated`. `replacement`: the name of the image to take instead. */
export interface Deprecation {
  readonly state: (typeof IMAGE_STATES)[number];
  readonly replacement: string | undefined;
}

export const IMAGE_STATES = ['ACTIVE', 'DEPRECATED', 'OBSOLETE', 'DELETED'] as const;

interface Release {
  readonly name: string;
  readonly family: string;
  readonly number: string;
  readonly about: { readonly description: string; readonly license: string };
  /** As its project begins. */
  readonly ageDays: number;
  readonly replacedBy?: string;
}

/** Families: https://docs.cloud.google.com/compute/docs/images/os-details; a Debian image has 10 GB, also an Ubuntu one. */
const DEBIAN: readonly Release[] = [
  {
    name: 'debian-12-bookworm-v20251014',
    family: 'debian-12',
    number: '4218273605871290342',
    about: {
      description: 'Debian, Debian GNU/Linux, 12 (bookworm), amd64 built on 20251014',
      license: 'debian-12-bookworm',
    },
    ageDays: 86,
    replacedBy: 'debian-12-bookworm-v20251209',
  },
  {
    name: 'debian-12-bookworm-v20251209',
    family: 'debian-12',
    number: '7350174408962193557',
    about: {
      description: 'Debian, Debian GNU/Linux, 12 (bookworm), amd64 built on 20251209',
      license: 'debian-12-bookworm',
    },
    ageDays: 30,
  },
  {
    name: 'debian-12-bookworm-arm64-v20251209',
    family: 'debian-12-arm64',
    number: '1406182256103574886',
    about: {
      description: 'Debian, Debian GNU/Linux, 12 (bookworm), arm64 built on 20251209',
      license: 'debian-12-bookworm',
    },
    ageDays: 30,
  },
  {
    name: 'debian-13-trixie-v20251209',
    family: 'debian-13',
    number: '3866101738849237010',
    about: {
      description: 'Debian, Debian GNU/Linux, 13 (trixie), amd64 built on 20251209',
      license: 'debian-13-trixie',
    },
    ageDays: 30,
  },
];

const UBUNTU: readonly Release[] = [
  {
    name: 'ubuntu-2204-jammy-v20251212',
    family: 'ubuntu-2204-lts',
    number: '8127640093316854420',
    about: {
      description: 'Canonical, Ubuntu, 22.04 LTS, amd64 jammy image built on 2025-12-12',
      license: 'ubuntu-2204-lts',
    },
    ageDays: 28,
  },
  {
    name: 'ubuntu-2404-noble-amd64-v20251210',
    family: 'ubuntu-2404-lts-amd64',
    number: '5533902817264108963',
    about: {
      description: 'Canonical, Ubuntu, 24.04 LTS, amd64 noble image built on 2025-12-10',
      license: 'ubuntu-2404-lts',
    },
    ageDays: 28,
  },
  {
    name: 'ubuntu-2404-noble-arm64-v20251210',
    family: 'ubuntu-2404-lts-arm64',
    number: '6017720945518230171',
    about: {
      description: 'Canonical, Ubuntu, 24.04 LTS, arm64 noble image built on 2025-12-10',
      license: 'ubuntu-2404-lts',
    },
    ageDays: 28,
  },
];

const noLabels: ReadonlyMap<string, string> = new Map();

const RELEASES: ReadonlyMap<string, readonly Release[]> = new Map([
  ['debian-cloud', DEBIAN],
  ['ubuntu-os-cloud', UBUNTU],
]);

/** Google's projects that hold them, with the numbers that the sandbox gives them. */
export const PUBLIC_PROJECTS: readonly { readonly id: string; readonly number: string }[] = [
  { id: 'debian-cloud', number: '461097360199' },
  { id: 'ubuntu-os-cloud', number: '599266692122' },
];

/** Those that Google publishes in such a project, by their age at `now`. */
export const publicImages = (project: string, now: number): readonly Image[] =>
  (RELEASES.get(project) ?? []).map((release) => published(project, release, now));

/** The newest image of a family that is not deprecated: https://docs.cloud.google.com/compute/docs/images/image-families-best-practices */
export function newestOf(images: Iterable<Image>, family: string): Image | undefined {
  return [...images]
    .filter(({ metadata }) => metadata.family === family && (metadata.deprecated?.state ?? 'ACTIVE') === 'ACTIVE')
    .toSorted((a, b) => b.createdAt - a.createdAt)[0];
}

const DAY = 86_400_000;

function published(project: string, release: Release, now: number): Image {
  const { name, number, ageDays, family, replacedBy } = release;
  const { description, license } = release.about;
  return {
    id: `global/images/${name}`,
    number,
    name,
    scope: 'global',
    createdAt: now - ageDays * DAY,
    description,
    project,
    content: {
      diskSizeGb: 10,
      architecture: name.includes('arm64') ? 'ARM64' : 'X86_64',
      licenses: [`projects/${project}/global/licenses/${license}`],
    },
    metadata: {
      family,
      labels: noLabels,
      deprecated: replacedBy === undefined ? undefined : { state: 'DEPRECATED', replacement: replacedBy },
    },
  };
}
