import { makeTimeline, type Timeline } from '../clock.ts';
import type { Lag } from '../lag.ts';
import { hexDigits, type Random } from '../random.ts';
import { Table } from '../table.ts';
import { type Image, publicImages } from './images.ts';
import type {
  Disk,
  Firewall,
  FirewallPolicy,
  Instance,
  Network,
  Operation,
  Route,
  Router,
  Subnetwork,
} from './records.ts';

interface Place {
  readonly id: string;
  /** Google's number of the project: twelve digits. */
  readonly number: string;
  readonly createdAt: number;
  readonly quotas: Quotas;
  /** Images of another project, which lets everybody use them. None: there is no such project. */
  readonly imagesOf: (project: string) => readonly Image[];
}

/** Tables are of all scopes; each record's id begins with its own. */
interface NetworkTables {
  readonly networks: Table<Network>;
  /** By network. */
  readonly subnetworks: Table<Subnetwork>;
  /** By network. */
  readonly firewalls: Table<Firewall>;
  /** Of the project. */
  readonly firewallPolicies: Table<FirewallPolicy>;
  /** Of its organisation and its folders, the highest first. They lie outside of the project, and hold for all its networks. */
  readonly inheritedPolicies: FirewallPolicy[];
  /** By network. */
  readonly routes: Table<Route>;
  /** By network. */
  readonly routers: Table<Router>;
}

interface MachineTables {
  readonly instances: Table<Instance>;
  readonly disks: Table<Disk>;
  readonly images: Table<Image>;
  /** Images whose machines shut down so many ms after they began to run, by name. */
  readonly badBoots: Map<string, { readonly stopsAfterMs: number }>;
  /** Internal addresses in use, by subnetwork. */
  readonly addresses: Map<string, Set<string>>;
}

interface Workings {
  /** By scope. Every reader sees an operation as it is. */
  readonly operations: Table<Operation>;
  /** Operations by the resource that each holds: no other may begin on it meanwhile. */
  readonly held: Map<string, string>;
  readonly requests: Map<string, Answered>;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly durations: Durations;
}

/** A request with a `requestId`: what was asked, and the operation that it began. */
interface Answered {
  readonly asked: string;
  readonly operation: string;
  readonly at: number;
}

export type Project = Place & NetworkTables & MachineTables & Workings;

interface ProjectOptions extends Place {
  readonly lag: Lag;
  readonly random: Random;
  readonly durations: Durations;
}

export function makeProject({ lag, random, durations, ...place }: ProjectOptions): Project {
  const prompt: Lag = { ...lag, sees: () => true, settled: () => true };
  const project: Project = {
    ...place,
    networks: new Table(lag),
    subnetworks: new Table<Subnetwork>(lag, inNetwork),
    firewalls: new Table<Firewall>(lag, inNetwork),
    firewallPolicies: new Table(lag),
    inheritedPolicies: [],
    routes: new Table<Route>(lag, inNetwork),
    routers: new Table<Router>(lag, inNetwork),
    instances: new Table<Instance>(lag, ({ scope }) => scope),
    disks: new Table<Disk>(lag, ({ scope }) => scope),
    images: new Table(lag),
    badBoots: new Map(),
    addresses: new Map(),
    operations: new Table<Operation>(prompt, ({ scope }) => scope),
    held: new Map(),
    requests: new Map(),
    timeline: makeTimeline(),
    random,
    durations,
  };
  lag.without(() => {
    for (const image of publicImages(project.id, project.createdAt)) project.images.put(image);
  });
  return project;
}

/** A fresh number for a resource: nineteen digits, within 63 bits. */
export function freshNumber({ random }: Pick<Project, 'random'>): string {
  return String(10n ** 18n + (BigInt(`0x${hexDigits(random, 16)}`) % (8n * 10n ** 18n)));
}

function inNetwork({ network }: { readonly network: string }): string {
  return network;
}

/**
 * Quotas of a project. Defaults vary between projects; new projects start with these.
 * https://docs.cloud.google.com/vpc/docs/quota#per_project
 */
export interface Quotas {
  readonly networks: number;
  readonly subnetworks: number;
  readonly firewalls: number;
  readonly routes: number;
  /** In each region, as are the next two. */
  readonly instances: number;
  /** Of each series that is counted by itself, and of all others together. */
  readonly cpus: number;
  /** Ephemeral external addresses. */
  readonly externalAddresses: number;
}

export const QUOTAS: Quotas = {
  networks: 15,
  subnetworks: 275,
  firewalls: 500,
  routes: 200,
  instances: 6000,
  cpus: 576_000,
  externalAddresses: 6000,
};

/**
 * Durations of operations, in milliseconds of the sandbox's clock. Google publishes no figures; these are assumptions
 * of the order that operations of real projects take, and all of them can be set.
 */
export interface Durations {
  /** Networks, subnetworks, firewalls, routes, routers, peerings. */
  readonly network: number;
  /** The states PROVISIONING and STAGING of an instance. */
  readonly start: number;
  readonly stop: number;
  readonly delete: number;
  /** Labels, tags, metadata, machine type. */
  readonly change: number;
  /** The state PENDING of an operation. */
  readonly pending: number;
}

export const DURATIONS: Durations = {
  network: 4_000,
  start: 10_000,
  stop: 10_000,
  delete: 10_000,
  change: 2_000,
  pending: 300,
};
