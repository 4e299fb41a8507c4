import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { loadProvider } from '../../providers/index.ts';
import { secretStores } from '../../providers/secrets/index.ts';
import type { CliDependencies, SqlLogin } from '../cli/context.ts';
import { dayOf } from '../core/render/wording.ts';
import { inProcessLimiter } from '../engine/limiter.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import { secretsBy } from '../secrets/resolver.ts';
import { editSpecFile } from '../source/edit-specs.ts';
import { formatSpecs } from '../source/format-specs.ts';
import { loadSpecs } from '../source/load.ts';
import { parseValue } from '../source/parse-specs.ts';
import { readPolicyCases } from '../source/policy-cases.ts';
import { restoredSpecs } from '../source/restore-specs.ts';
import { parseStored } from '../source/stored-tree.ts';
import { hasData, storeFolder } from '../store/embedded/home.ts';
import type { DatabaseServer } from '../store/open-store.ts';
import { readableWitnessAt } from '../witness/witnesses.ts';
import { historyOf, signingOf, witnessMeans, witnessPlaces } from './environment.ts';

/** Wires the command line to its dependencies. It opens nothing, and loads no SDK, before a command asks for it. */
export const cliDependencies = (clock: Clock, databaseUrl = process.env['DATABASE_URL']): CliDependencies => ({
  startFleet: async (settings) => {
    const { startFleet } = await import('./worker.ts');
    return startFleet(settings, { env: process.env, clock, secrets: secrets(), out: process.stderr });
  },
  startApi: async (settings) => {
    const { startApi } = await import('./api.ts');
    return startApi(settings, { env: process.env, clock, secrets: secrets(), out: process.stderr });
  },
  readSpecs: async (dir, { overlay, ref } = {}) => {
    if (ref === undefined) return loadSpecs(dir, today(clock), overlay);
    const { loadOwnCommit } = await import('../source/git/load-commit.ts');
    const loading = { today: today(clock), env: process.env, overlay };
    return loadOwnCommit(dir, ref, loading);
  },
  parseStoredSpecs: (kept, revision) => parseStored(kept, revision, today(clock)),
  readValue: parseValue,
  formatSpecs,
  readPolicyCases,
  editSpecFile,
  restoredSpecs,
  fileDiff: async (file) => (await import('../source/file-diff.ts')).fileDiff(file),
  propose: async (proposal, signal) => {
    const { proposeBranch } = await import('../source/git/propose.ts');
    return proposeBranch(proposal, { env: process.env, signal });
  },
  readProposedSpecs: async (place, active) => {
    const { proposedSpecs } = await import('./proposals.ts');
    return proposedSpecs(place, active, { today: today(clock), env: process.env });
  },
  openStore: async (folder, opening, say) => {
    // why: the libraries of a database are a third of all that a plan would load
    if (opening === 'existing' && databaseUrl === undefined && !(await hasData(storeFolder(folder)))) return undefined;
    const { openStore } = await import('../store/open-store.ts');
    return openStore({
      folder,
      databaseUrl,
      ...historyOf(process.env),
      clock,
      onProgress: say,
      create: opening === 'make',
      signing: signingOf(process.env),
    });
  },
  openSqlSession: async (folder, onProgress) => {
    const { openStore } = await import('../store/open-store.ts');
    let login: SqlLogin | undefined;
    const onServer = async ({ reader }: DatabaseServer): Promise<void> => {
      login = reader;
    };
    const opening = { folder, clock, onProgress, onServer, create: false };
    const store = await openStore(databaseUrl === undefined ? opening : { ...opening, databaseUrl });
    return store && { ...(login && { login }), close: store.close };
  },
  provider: loadProvider,
  secrets: secrets(),
  startSandbox: async ({ port, seed, speed, lagMs, estateFile, eventsFile, publicUrl }) => {
    const { startSandbox } = await import('../../sandbox/index.ts');
    return startSandbox({
      port,
      seed,
      clock: { rate: speed },
      lag: { ms: lagMs },
      estateFile,
      eventsFile,
      publicUrl,
    });
  },
  witnesses: (place) => {
    const means = witnessMeans(process.env);
    const places = place === undefined ? witnessPlaces(process.env) : [place];
    return places.map((one) => readableWitnessAt(one, means));
  },
  verifyExport: async (file, folder, compared) => {
    const [{ verifyExport }, { checkpointFile }, { trustedKeys }] = await Promise.all([
      import('../store/verify-export.ts'),
      import('../store/checkpoints.ts'),
      import('../store/signing.ts'),
    ]);
    const checkpoints = await checkpointFile(join(folder, 'checkpoints.jsonl')).read();
    const keys = await trustedKeys(join(folder, 'keys'));
    const exported = await open(file);
    try {
      return await verifyExport(exported.readLines(), { checkpoints, keys, now: clock.now(), ...compared });
    } finally {
      await exported.close();
    }
  },
  limiter: inProcessLimiter({ clock, lateMs: 500 }),
});

const today = (clock: Clock): string => dayOf(clock.now());

const secrets = () =>
  secretsBy({
    environment: process.env,
    folder: process.env['SETPOINT_SECRETS_DIR'],
    stores: secretStores,
  });
