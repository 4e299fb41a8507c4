import type { Verdict } from '../core/ledger/verification.ts';
import type { Cloud } from '../core/resource.ts';
import type { KeptTree } from '../ports/fleet-state.ts';
import type { Witness } from '../ports/ledger.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Provider } from '../ports/provider.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SpecTree } from '../ports/sources.ts';
import type { Store, VerifyOptions } from '../ports/store.ts';

/** The ways to what lies outside the command line, wired by the root. */
export type House = Home & Clouds & Services;

interface Home {
  /** Reads and checks a folder of specs; never throws for what it finds there. Rejects where a `ref` cannot be read. */
  specs(dir: string, wish?: SpecsWish): Promise<SpecTree>;
  /** A tree that a store kept. */
  kept(kept: KeptTree, revision: string): SpecTree;
  /** What would be in force with a proposal for one repository. Rejects where it, or its place, cannot be read. */
  proposed(place: ProposalPlace, inForce: SpecTree): Promise<SpecTree>;
  /** `existing`: undefined where there is none; nothing is made. `say` is told what takes its time. */
  store(folder: string, opening: 'existing' | 'make', say: (text: string) => void): Promise<Store | undefined>;
  /** Checks an export of a ledger against the signed checkpoints and the key in a store's folder, with no database. */
  verifyExport(file: string, folder: string, compared: VerifyOptions): Promise<Verdict>;
  /** The witness at a place, or without one those that SETPOINT_WITNESS names. Throws where a place is none. */
  witnesses(place?: string): readonly Witness[];
  /** The store, held open for people who read it with SQL; undefined where there is none. `say` as above. */
  reading(folder: string, say: (text: string) => void): Promise<SqlReading | undefined>;
}

/** `login`: absent where the server is the user's own, who says himself whom it lets in. */
export interface SqlReading {
  readonly login?: SqlLogin;
  close(): Promise<void>;
}

/** On 127.0.0.1, the database `postgres`. `shared`: others use the server too, and it stays when we leave. */
export interface SqlLogin {
  readonly user: string;
  readonly password: string;
  readonly port: number;
  readonly shared: boolean;
}

/** How a folder's specs are read. */
export interface SpecsWish {
  /** That lies over the base; absent: none. */
  readonly overlay?: string;
  /** As this commit of the repository that the folder lies in has them; absent: as they lie in the folder. */
  readonly ref?: string;
}

/** `ref`: a commit of the repository that the folder lies in, or of `repository`; absent: the folder as it is. */
export interface ProposalPlace {
  readonly dir: string;
  readonly ref?: string;
  readonly repository?: ProposalRepository;
  /** For whose repository it is; absent: the estate's own. */
  readonly team?: string;
}

/** `path`: of the specs in it. `folder`: where our copies of repositories lie. */
export interface ProposalRepository extends Pick<FollowedRepository, 'url' | 'path' | 'allowLocal'> {
  readonly folder: string;
}

/** What runs until it is stopped. */
interface Services {
  sandbox(settings: SandboxSettings): Promise<RunningSandbox>;
  /** Throws where a server that it needs is out of reach or unfit, with what to do. Says what it does on stderr. */
  fleet(settings: FleetSettings): Promise<RunningFleet>;
  /** The API and nothing else; of the same manners. */
  api(settings: ApiSettings): Promise<RunningFleet>;
}

interface Clouds {
  cloud(cloud: Cloud): Promise<Provider>;
  /** What references in the specs of the user's folder name. */
  readonly secrets: Secrets;
  /** Rate budgets, shared by all scopes of this run. */
  readonly limiter: Limiter;
}

export type SandboxSettings = SandboxPlace & SandboxManner;

interface SandboxPlace {
  readonly port: number;
  readonly publicUrl?: string;
}

/** `speed`: seconds of the sandbox in one of ours. `lagMs`: how long reads may miss what was written. */
interface SandboxManner {
  readonly seed: number;
  readonly speed: number;
  readonly lagMs: number;
  /** What its accounts hold at the start, in a JSON file. */
  readonly estateFile?: string;
  /** Whom its clouds tell of what clients write, in a JSON file. */
  readonly eventsFile?: string;
}

export interface RunningSandbox {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `worker`: one of many, on the servers that DATABASE_URL and REDIS_URL name. `alone`: all in this process, on the database
 * in `folder`, or that of DATABASE_URL together with workers that have no Redis.
 */
export interface FleetSettings {
  readonly as: 'worker' | 'alone';
  readonly follow: Follow;
  /** Where `.setpoint` is. */
  readonly folder: string;
  readonly allowEndpoint: boolean;
  readonly pace: FleetPace;
  readonly ports: Listening;
}

/** Where specs come from. */
export interface Follow {
  /** Folders; none: others follow them. */
  readonly dirs: readonly string[];
  /** Of folders and the repository alike. */
  readonly overlay?: string;
  readonly repository?: FollowedRepository;
}

/** A git repository and the branch of it that is followed; `path`: of the specs in it, '' for all of it. */
export interface FollowedRepository {
  readonly url: string;
  readonly branch: string;
  readonly path: string;
  /** Asked for news at least this often. */
  readonly everyMs: number;
  /** Whether it, and repositories that its specs name, may lie on this machine, or on its private network. */
  readonly allowLocal: boolean;
}

/** Absent: not opened. `health`: a port of 127.0.0.1, of /livez and metrics. `http`: of the API, webhooks and events. */
export interface Listening {
  readonly health?: number;
  readonly http?: Listen;
}

export interface Listen {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Whether the user named the place, and so wants no other, nor none. */
  readonly isNamed: boolean;
  /** PEM files; `proxy`: what stands before us has it. */
  readonly tls?: { readonly cert: string; readonly key: string } | 'proxy';
  /** A file that says whom we believe who somebody is, and what they may. */
  readonly access?: string;
}

/** The API alone: on the database that DATABASE_URL names, or that in `folder`. */
export interface ApiSettings extends Pick<FleetSettings, 'folder' | 'allowEndpoint'> {
  readonly listen: Listen;
}

/** `everyMs`: a pass of each scope at least so often. `atOnce`: passes at once, of each cloud. `reserve`: the part of every budget left to others, in [0,1). */
export interface FleetPace {
  readonly everyMs: number;
  readonly atOnce: number;
  readonly reserve: number;
}

export interface RunningFleet {
  /** Where it is asked how it is. */
  readonly healthUrl?: string;
  /** Where the API is, and webhooks and events go. */
  readonly httpUrl?: string;
  /** Made because the store never had one: to be told to the user, once. */
  readonly firstToken?: string;
  /** Hands over what is not done; within 30 s. */
  stop(): Promise<void>;
}
