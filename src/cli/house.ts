import type { Verdict } from '../core/ledger/verification.ts';
import type { Cloud } from '../core/resource.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Provider } from '../ports/provider.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Store } from '../ports/store.ts';

/** The ways to what lies outside the command line, wired by the root. */
export type House = Home & Clouds;

interface Home {
  /** Reads and checks a folder of specs; never throws for what it finds there. */
  specs(dir: string): Promise<SpecTree>;
  /** `existing`: undefined where there is none; nothing is made. `say` is told what takes its time. */
  store(folder: string, opening: 'existing' | 'make', say: (text: string) => void): Promise<Store | undefined>;
  sandbox(settings: SandboxSettings): Promise<RunningSandbox>;
  /** Checks an export of a ledger against the signed checkpoints and the key in a store's folder, with no database. */
  verifyExport(file: string, folder: string): Promise<Verdict>;
}

interface Clouds {
  cloud(cloud: Cloud): Promise<Provider>;
  /** What references in the specs of the user's folder name. */
  readonly secrets: Secrets;
  /** Rate budgets, shared by all scopes of this run. */
  readonly limiter: Limiter;
}

/** `speed`: seconds of the sandbox in one of ours. `lagMs`: how long reads may miss what was written. */
export interface SandboxSettings {
  readonly port: number;
  readonly seed: number;
  readonly speed: number;
  readonly lagMs: number;
  /** What its accounts hold at the start, in a JSON file. */
  readonly estateFile?: string;
  readonly publicUrl?: string;
}

export interface RunningSandbox {
  readonly url: string;
  close(): Promise<void>;
}
