import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SpecTree } from '../../src/ports/sources.ts';
import type { Guards } from '../../src/source/git/guards.ts';
import { loadCommit } from '../../src/source/git/load-commit.ts';
import { mirrorFolder } from '../../src/source/git/mirror.ts';
import { openRepository, type Repository } from '../../src/source/git/repository.ts';
import { RepositoryError } from '../../src/source/git/repository-error.ts';
import { treeClasses } from './classes.ts';
import { entry } from './entry.ts';
import { canary, type HostileWorld, spoil } from './hostile-world.ts';
import { type LooseObjects, looseObjects } from './loose-objects.ts';
import type { TreeRow } from './rows.ts';

/** A row that was not held off: something outside was read or run, or it was not refused as its class must be. */
export interface Breach {
  readonly of: string;
  readonly what: string;
  readonly how: 'read' | 'ran' | 'taken';
}

/**
 * Each tree is read out of a mirror that holds it already, as if nothing had been looked at when it was fetched: git's own
 * checks would refuse most.
 */
export async function judgeTrees(
  world: HostileWorld,
  rows: readonly TreeRow[],
  guards: Guards,
): Promise<readonly Breach[]> {
  const url = join(world.dir, 'trees.git');
  const folder = join(world.dir, 'mirrors');
  const mirror = mirrorFolder(folder, url);
  world.bare(mirror.slice(world.dir.length + 1));
  const objects = looseObjects(mirror, world.fill);
  const repository = openRepository({ ...place(folder, guards), url });
  const breaches: Breach[] = [];
  for (const row of rows) {
    const codes = treeClasses[row[0]]?.codes ?? [];
    breaches.push(...(await judge(world, row, { repository, commit: commitOf(objects, row), codes })));
  }
  return breaches;
}

/** The same, fetched from a repository that somebody else writes: by either line it must be held off. */
export async function judgeFetched(
  world: HostileWorld,
  rows: readonly TreeRow[],
  guards: Guards,
): Promise<readonly Breach[]> {
  const url = world.bare('fetched.git');
  const objects = looseObjects(url, world.fill);
  spoil(url, world);
  const breaches: Breach[] = [];
  for (const [index, row] of rows.entries()) {
    const ref = join(url, 'refs/heads', `row-${index}`);
    mkdirSync(dirname(ref), { recursive: true });
    writeFileSync(ref, `${commitOf(objects, row)}\n`);
    const repository = openRepository({ ...place(join(world.dir, 'mirrors'), guards), url, branch: `row-${index}` });
    const commit = await repository.fetch().catch((error: unknown) => {
      if (error instanceof RepositoryError) return undefined;
      throw error;
    });
    if (commit !== undefined) breaches.push(...(await judge(world, row, { repository, commit, codes: undefined })));
    else if (world.wasRun()) breaches.push({ of: row[0], what: row[1], how: 'ran' });
  }
  return breaches;
}

/** Bounds of a count are small, so that a row need not be large to be over them. */
const place = (folder: string, { trees, ...guards }: Guards) => ({
  folder,
  path: 'specs',
  allowFile: true,
  env: { PATH: process.env['PATH'] },
  guards: {
    ...guards,
    trees: {
      ...trees,
      most: {
        ...trees.most,
        files: Math.min(trees.most.files, trees.most.files < 1e9 ? 50 : 1e9),
        entries: trees.most.entries < 1e9 ? 500 : 1000,
        treeBytes: 16 * 1024 * 1024,
      },
    },
  },
});

function commitOf(objects: LooseObjects, [, , tree]: TreeRow): string {
  const specs = entry.folder('specs', entry.file('0.yaml'), ...tree);
  return objects.commit(objects.tree([entry.file('canary.yaml', `# ${canary}\n`), specs]));
}

interface Judged {
  readonly repository: Repository;
  readonly commit: string;
  /** Undefined: any error will do. */
  readonly codes: readonly string[] | undefined;
}

async function judge(
  world: HostileWorld,
  [of, what]: TreeRow,
  { repository, commit, codes }: Judged,
): Promise<readonly Breach[]> {
  const read = await loadCommit(repository, commit, { today: '2027-01-31' }).catch(troubleOf);
  if (world.wasRun()) return [{ of, what, how: 'ran' }];
  if (shown(read).includes(canary)) return [{ of, what, how: 'read' }];
  const told = read instanceof RepositoryError ? [read.trouble] : errorsOf(read);
  const isRefused = codes === undefined ? told.length > 0 : told.some((code) => codes.includes(code));
  return isRefused ? [] : [{ of, what, how: 'taken' }];
}

function troubleOf(error: unknown): RepositoryError {
  if (error instanceof RepositoryError) return error;
  throw error;
}

function shown(read: SpecTree | RepositoryError): string {
  if (read instanceof RepositoryError) return read.message;
  const scripts = [...read.userData.values()].map(({ bytes }) => bytes.toString());
  return [...read.files.map(({ text }) => text), ...scripts, JSON.stringify(read.problems)].join('\n');
}

const errorsOf = ({ problems }: SpecTree): readonly string[] =>
  problems.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
