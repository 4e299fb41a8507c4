import type { DocumentEdit } from '../core/documents/document-edit.ts';
import type { Problem } from '../core/documents/problem.ts';
import type { Located } from '../core/documents/tree.ts';
import type { Verdict } from '../core/ledger/verification.ts';
import type { Cases } from '../core/policy/cases.ts';
import type { Cloud } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { SpecSnapshot } from '../ports/fleet-state.ts';
import type { Witness } from '../ports/ledger.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Provider } from '../ports/provider.ts';
import type { Secrets } from '../ports/secrets.ts';
import type {
  BranchProposal,
  ChangedFile,
  EditedFile,
  ProposedBranch,
  SpecTree,
  WrittenSpec,
} from '../ports/sources.ts';
import type { Store, VerifyOptions } from '../ports/store.ts';
import type { ExitCode } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** The process that a command line runs in. */
export interface CliProcess {
  readonly terminal: Terminal;
  readonly dependencies: CliDependencies;
  readonly clock: Clock;
  /** Aborts on Ctrl-C; every wait ends with it. */
  readonly signal: AbortSignal;
}

/** All that a command works with. `runCli` makes it, once a run; nobody derives another one from it. */
export interface Context extends CliProcess {
  /** Reads the specs that the command line asks for: those of a folder, or with --active the active ones. */
  readonly readSpecs: CliDependencies['readSpecs'];
  /** Sets the exit code of the run; the last one counts. */
  finish(code: ExitCode): void;
}

/** With a problem no case runs. */
export interface PolicyCasesReading {
  readonly cases: readonly Located<Cases>[];
  readonly problems: readonly Problem[];
}

export type RestorableTree = Pick<SpecTree, 'files' | 'userData' | 'documents'>;

/** Names of documents that come back, change back and go: `Instance web`. */
export interface RestoredSpecs {
  readonly files: readonly ChangedFile[];
  readonly documents: {
    readonly back: readonly string[];
    readonly changed: readonly string[];
    readonly gone: readonly string[];
  };
}

/** The command line's outside dependencies, wired by the root. */
export interface CliDependencies {
  /** Reads and checks a folder of specs; reports its problems, and never throws them. Rejects where a `ref` cannot be read. */
  readSpecs(dir: string, options?: SpecsOptions): Promise<SpecTree>;
  /** The cases of policies in these files and folders; reports their problems, and never throws them. */
  readPolicyCases(paths: readonly string[]): Promise<PolicyCasesReading>;
  /** Parses a tree that a store kept. */
  parseStoredSpecs(stored: SpecSnapshot, revision: string): SpecTree;
  /** A value in YAML, on one line, as a field of a spec has it; undefined where it is none. */
  readValue(text: string): { readonly value: unknown } | undefined;
  /** Specs as YAML, as a person writes it. */
  formatSpecs(specs: readonly WrittenSpec[]): string;
  /** Edits documents in the text of their file. */
  editSpecFile(file: SpecTree['files'][number], edits: readonly DocumentEdit[]): EditedFile;
  /** A unified diff for people, with the lines of secrets masked. */
  fileDiff(file: ChangedFile): Promise<string>;
  /** The files that bring specs back to those of `then`; `named`: only these documents, as `instance web`. Throws where it cannot cut a file. */
  restoredSpecs(then: RestorableTree, now: RestorableTree, named: ReadonlySet<string> | undefined): RestoredSpecs;
  /** Commits changed files to a branch `setpoint/…` and pushes it; the work tree stays. Rejects with the reason, for people. */
  propose(proposal: BranchProposal, signal: AbortSignal): Promise<ProposedBranch>;
  /** The specs as they would be active with a proposal for one repository. Rejects where it, or its place, cannot be read. */
  readProposedSpecs(source: ProposalSource, active: SpecTree): Promise<SpecTree>;
  /** `existing`: undefined where there is none; nothing is created. `notify` reports steps that take time. */
  openStore(folder: string, opening: 'existing' | 'make', notify: (text: string) => void): Promise<Store | undefined>;
  /** Checks an export of a ledger against the signed checkpoints and the key in a store's folder, with no database. */
  verifyExport(file: string, folder: string, compared: VerifyOptions): Promise<Verdict>;
  /** The witness at a place, or without one those that SETPOINT_WITNESS names. Throws where a place is none. */
  witnesses(place?: string): readonly Witness[];
  /** Holds the store open for people who read it with SQL; undefined where there is none. `notify` as above. */
  openSqlSession(folder: string, notify: (text: string) => void): Promise<SqlSession | undefined>;
  provider(cloud: Cloud): Promise<Provider>;
  /** Resolves the references in the specs of the user's folder. */
  readonly secrets: Secrets;
  /** Rate budgets, shared by all scopes of this run. */
  readonly limiter: Limiter;
  /** Each runs until it is stopped. */
  startSandbox(settings: SandboxSettings): Promise<RunningSandbox>;
  /** Throws where a server that it needs is out of reach or unfit, with the fix. Logs on stderr. */
  startFleet(settings: FleetSettings): Promise<RunningFleet>;
  /** The API and nothing else; of the same manners. */
  startApi(settings: ApiSettings): Promise<RunningFleet>;
}

/** The options for reading a folder's specs. */
export interface SpecsOptions {
  /** That lies over the base; absent: none. */
  readonly overlay?: string;
  /** As this commit of the repository that the folder lies in has them; absent: as they lie in the folder. */
  readonly ref?: string;
}

/** `ref`: a commit of the repository that the folder lies in, or of `repository`; absent: the folder as it is. */
export interface ProposalSource {
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

/** `login`: absent where the server is the user's own, who says himself whom it lets in. */
export interface SqlSession {
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

/** `speed`: seconds of the sandbox in one of ours. `lagMs`: how long reads may miss what was written. */
export interface SandboxSettings {
  readonly port: number;
  readonly publicUrl?: string;
  readonly seed: number;
  readonly speed: number;
  readonly lagMs: number;
  /** The objects in its accounts at the start, in a JSON file. */
  readonly estateFile?: string;
  /** The JSON file with the addresses to which its clouds send events of clients' writes. */
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
  readonly specs: SpecSources;
  /** The parent folder of `.setpoint`. */
  readonly folder: string;
  readonly allowEndpoint: boolean;
  readonly reconcile: ReconcileSettings;
  readonly ports: ListenPorts;
}

/** The sources of the specs. */
export interface SpecSources {
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
  /** Polled at least this often. */
  readonly pollMs: number;
  /** True where it, and repositories that its specs name, may lie on this machine, or on its private network. */
  readonly allowLocal: boolean;
}

/**
 * `intervalMs`: each scope is reconciled at least so often. `concurrency`: scopes at once, of each cloud. `reserve`: the part of
 * every budget left to others, in [0,1).
 */
export interface ReconcileSettings {
  readonly intervalMs: number;
  readonly concurrency: number;
  readonly reserve: number;
}

/** Absent: not opened. `health`: a port of 127.0.0.1, of /livez and metrics. `http`: of the API, webhooks and events. */
export interface ListenPorts {
  readonly health?: number;
  readonly http?: ListenAddress;
}

export interface ListenAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** True where the user named the place, and so wants no other, nor none. */
  readonly isNamed: boolean;
  /** PEM files; `proxy`: a proxy before us has the certificate. */
  readonly tls?: { readonly cert: string; readonly key: string } | 'proxy';
  /** A file with the trusted issuers and the grants. */
  readonly access?: string;
}

/** The API alone: on the database that DATABASE_URL names, or that in `folder`. */
export interface ApiSettings extends Pick<FleetSettings, 'folder' | 'allowEndpoint'> {
  readonly listen: ListenAddress;
}

export interface RunningFleet {
  /** The address of the health port. */
  readonly healthUrl?: string;
  /** The address of the API, webhooks and events. */
  readonly httpUrl?: string;
  /** Made because the store never had one: to be shown to the user, once. */
  readonly firstToken?: string;
  /** Hands over what is not done; within 30 s. */
  stop(): Promise<void>;
}
