import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadProvider } from '../providers/index.ts';
import { startSandbox } from '../sandbox/index.ts';
import { cliDependencies } from '../src/bootstrap/cli-dependencies.ts';
import type { CliDependencies, Context } from '../src/cli/context.ts';
import { exitCodes, UserError } from '../src/cli/errors.ts';
import { withObservedEstate } from '../src/cli/local/observe.ts';
import { type ProposalGuards, type ProposalRequest, readProposal } from '../src/cli/local/proposal.ts';
import { estateOf } from '../src/core/documents/spec-set.ts';
import { canonical } from '../src/core/ledger/canonical.ts';
import { refusalsOf } from '../src/core/trust.ts';
import { acceptSpecs, openEstate } from '../src/estate/load.ts';
import { secretsToLook, withActiveTargets } from '../src/estate/proposal.ts';
import type { SpecTree } from '../src/ports/sources.ts';
import type { Store } from '../src/ports/store.ts';
import { loadSpecs } from '../src/source/load.ts';
import { parseSpecs } from '../src/source/parse-specs.ts';
import { memoryDatabase } from '../test/support/memory-store.ts';
import type { Figure } from './figure.ts';
import { openCanary } from './hostile-spec/canary.ts';
import {
  type Attempt,
  activeFiles,
  type Files,
  type Line,
  type Proposal,
  proposals,
} from './hostile-spec/proposals.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';

/**
 * Pull requests that try for credentials, each planned as `setpoint plan --proposal` does beside specs in force, with real
 * providers on the sandbox. Asked: no request to where only they want to call, no value read, and none planned with other identities
 * than what is in force. One that ended otherwise than it should is told on stderr and counts as planned.
 */
export const hostileSpec = (
  rows: readonly Proposal[] = proposals,
  lines?: readonly Line[],
): Promise<readonly Figure[]> =>
  inWorld(async (world) => {
    const total = { requests: 0, values: 0, planned: 0 };
    for (const row of rows) {
      const haul = await attempt(row, world, lines);
      total.requests += haul.requests;
      total.values += haul.values;
      if (haul.usesOwnIdentity || haul.ended !== row.want) {
        total.planned += 1;
        console.error(`${row.name}: ${haul.ended}, not ${row.want}: ${haul.why}`);
      }
    }
    const of = `of ${rows.length} proposals`;
    return [
      { name: 'hostile-spec-requests', value: total.requests, unit: `requests ${of}`, floor: 0 },
      { name: 'hostile-spec-values', value: total.values, unit: `values read ${of}`, floor: 0 },
      { name: 'hostile-spec-planned', value: total.planned, unit: of, floor: 0 },
    ];
  });

/** A sandbox, and a store with the specs in force. */
export async function inWorld<T>(work: (world: World) => Promise<T>): Promise<T> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  const sandbox = await startSandbox({ budgets: false });
  try {
    return await inScratch(async (folder) => {
      const dir = join(folder, 'active');
      const files = activeFiles({ sandbox: sandbox.url, canary: '' });
      await writeFiles(
        dir,
        Object.entries(files).map(([path, text]) => ({ path, text })),
      );
      const tree = await loadSpecs(dir, '2027-01-31', overlay);
      const [problem] = tree.problems.filter(({ severity }) => severity === 'error');
      if (problem) throw new Error(`what is in force is not sound: ${problem.at.file}: ${problem.message}`);
      const store = memoryDatabase({ now: Date.now, sleep: async () => undefined }).connect();
      await acceptSpecs(await openEstate(tree, loadProvider, '2027-01-31'), store);
      const proposals = join(folder, 'proposals');
      await mkdir(proposals);
      return await work({ sandbox: sandbox.url, store, activeFiles: tree, folder: proposals });
    });
  } finally {
    await sandbox.close();
  }
}

/** The gains of a hostile proposal. */
export interface AttemptResult {
  readonly ended: Proposal['want'] | 'broke';
  /** Connections to the proposal's own endpoint. */
  readonly requests: number;
  /** Secrets asked for, and files from outside its tree. */
  readonly values: number;
  /** True if it was planned with another Estate, Target or secret than the active ones. */
  readonly usesOwnIdentity: boolean;
  /** The reason of its end, for people. */
  readonly why: string;
}

interface World {
  readonly sandbox: string;
  /** With the specs in force, and their overlay. */
  readonly store: Store;
  readonly activeFiles: SpecTree;
  /** An empty folder. */
  readonly folder: string;
}

const overlay = 'prod';
const all: readonly Line[] = ['reader', 'trust', 'eyes', 'secrets'];

/** Plans a proposal as `setpoint plan --proposal` does, with only the given lines of defence. */
export async function attempt(proposal: Proposal, world: World, lines: readonly Line[] = all): Promise<AttemptResult> {
  const stop = new AbortController();
  // why: one call is enough to know; what is called again after a pause would make the bench wait
  const canary = await openCanary(() => stop.abort(new Error('the canary was called')));
  const asked: string[] = [];
  try {
    const wanted = proposal.files({ sandbox: world.sandbox, canary: canary.url });
    const dir = await layOut(wanted, world);
    const reader = lines.includes('reader') ? undefined : () => taken(dir, wanted, world);
    const context = contextOn({ reader, store: world.store, asked, signal: stop.signal });
    let seen: SpecTree | undefined;
    const ended = await ending(async () => {
      const estate = await readProposal(askedFor(dir), context, guardsOf(lines));
      seen = estate.tree;
      await withObservedEstate({ estate, store: world.store }, context, async () => undefined);
    });
    const tree = seen;
    return {
      ...ended,
      requests: canary.connections(),
      values: asked.length + (tree === undefined ? 0 : leaked(tree)),
      usesOwnIdentity: tree !== undefined && identityOf(tree) !== identityOf(world.activeFiles),
    };
  } finally {
    await canary.close();
  }
}

const today = '2027-01-31';
const outside = '#!/bin/sh\necho not yours\n';
const askedFor = (dir: string): ProposalRequest => ({
  selection: { dir, targets: [], allowEndpoint: true },
  source: { dir },
  active: { folder: dir },
});

/** Anew in its folder, with a file beside it that no proposal should come by. */
async function layOut({ files, links = {} }: Attempt, { folder, sandbox }: World): Promise<string> {
  const dir = join(folder, 'specs');
  await rm(dir, { recursive: true, force: true });
  await writeFile(join(folder, 'outside.sh'), outside).catch(() => undefined);
  const texts = Object.entries({ ...activeFiles({ sandbox, canary: '' }), ...files }).filter(([, text]) => text !== '');
  for (const [path, text] of texts) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  for (const [path, to] of Object.entries(links)) await symlink(to, join(dir, path));
  return dir;
}

/** As a reader would have it that refuses nothing: no problem, and every file that is named. */
async function taken(dir: string, { files, meant = files }: Attempt, { sandbox }: World): Promise<SpecTree> {
  const texts: Files = { ...activeFiles({ sandbox, canary: '' }), ...meant };
  const specs = Object.entries(texts)
    .filter(([path, text]) => path.endsWith('.yaml') && text !== '')
    .map(([path, text]) => ({ path, text }));
  const { documents } = parseSpecs(specs, today);
  const scripts = ['web.sh', 'way-out.sh'].map(async (path) => {
    const bytes = await readFile(join(dir, path)).catch(() => Buffer.from(''));
    return [path, { path, bytes, sha256: sha256(bytes) }] as const;
  });
  return {
    estate: estateOf(documents),
    documents,
    problems: [],
    revision: 'folder:taken',
    files: specs,
    userData: new Map(await Promise.all(scripts)),
    overlay,
  };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const leaked = ({ userData }: SpecTree): number =>
  [...userData.values()].filter((script) => script.sha256 === sha256(Buffer.from(outside))).length;

/** Judged by the names of fields alone, so that it knows nothing of what it judges. */
function identityOf({ documents }: SpecTree): string {
  const whole = documents.filter(({ value }) => value.kind === 'Estate' || value.kind === 'Target');
  const fields = documents.map(({ value }) => [value.kind, value.metadata.name, passwordsIn(value)]);
  return canonical([
    whole.map(({ value }) => canonical(value)).toSorted(),
    fields
      .map(canonical)
      .filter((text) => text.includes('password'))
      .toSorted(),
  ]);
}

const passwordsIn = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, held]) => (key === 'password' ? [[key, held]] : passwordsIn(held)))
    : [];

function guardsOf(lines: readonly Line[]): ProposalGuards {
  return {
    refusalsOf: lines.includes('trust') ? refusalsOf : () => [],
    withActiveTargets: lines.includes('eyes') ? withActiveTargets : (proposed) => proposed,
    secretsToLook: lines.includes('secrets') ? secretsToLook : (_, secrets) => secrets,
  };
}

interface Outside {
  /** Absent: the real one. */
  readonly reader: (() => Promise<SpecTree>) | undefined;
  readonly store: Store;
  /** The requests for secrets, as text. */
  readonly asked: string[];
  readonly signal: AbortSignal;
}

function contextOn({ reader, store, asked, signal }: Outside): Context {
  const clock = { now: Date.now, sleep: async () => signal.throwIfAborted() };
  const silent = { write: () => undefined, colour: false, live: false, columns: 80 };
  const dependencies: CliDependencies = {
    ...cliDependencies(clock),
    ...(reader === undefined ? {} : { readProposedSpecs: reader }),
    // why: it is the world's, and closed with it
    openStore: async () => ({ ...store, close: async () => undefined }),
    secrets: {
      resolve: async (ref) => {
        asked.push(canonical(ref));
        return { ok: false, failure: { kind: 'terminal', code: 'canary', message: 'somebody asked' } };
      },
    },
  };
  const { readSpecs } = dependencies;
  const terminal = { out: silent, err: silent, input: null };
  return { terminal, dependencies, clock, signal, readSpecs, finish: () => undefined };
}

async function ending(work: () => Promise<void>): Promise<Pick<AttemptResult, 'ended' | 'why'>> {
  try {
    await work();
    return { ended: 'planned', why: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!(error instanceof UserError)) return { ended: 'broke', why };
    const { where = '' } = error.details;
    return { ended: error.code === exitCodes.refused ? 'refused' : 'unsound', why: `${why} ${where}` };
  }
}
