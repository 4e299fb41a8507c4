import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SpecTree } from '../src/ports/sources.ts';
import { type Guards, guards as real } from '../src/source/git/guards.ts';
import { loadCommit } from '../src/source/git/load-commit.ts';
import { mirrorFolder } from '../src/source/git/mirror.ts';
import { openRepository, type Repository } from '../src/source/git/repository.ts';
import type { RepositoryPlace } from '../src/source/git/repository-context.ts';
import { RepositoryError } from '../src/source/git/repository-error.ts';
import type { Figure } from './figure.ts';
import { names, paths, type TreeRow, trees, urls } from './hostile-git/rows.ts';
import {
  canary,
  entry,
  type HostileWorld,
  hostileWorld,
  type LooseObjects,
  looseObjects,
  spoil,
} from './hostile-git/world.ts';

/** Every address, branch, ref and folder of the rows. */
export const addresses: readonly AddressRow[] = [
  ...rowsOf('url', urls),
  ...rowsOf('branch', names),
  ...rowsOf('ref', names),
  ...rowsOf('path', paths),
];

/** The first of each class. */
const firstOfEach = [...new Map(trees.toReversed().map((row) => [row[0], row])).values()];

/**
 * Crafted repositories, and hostile addresses, refs and environments. The value is those of which something outside was read,
 * something was run, or that were not refused; asked: 0.
 */
export async function hostileGit(guards = real): Promise<readonly Figure[]> {
  const world = hostileWorld();
  try {
    const breaches = [
      ...(await judgeTrees(world, trees, guards)),
      ...(await judgeFetched(world, firstOfEach, guards)),
      ...(await judgeAddresses(world, addresses, guards)),
      ...(await judgeEnvironments(world, environments, guards)),
    ];
    for (const breach of breaches) console.error(JSON.stringify(breach));
    const outside = breaches.filter(({ how }) => how !== 'taken').length;
    const unit = `of ${trees.length} repositories and ${addresses.length} addresses`;
    return [
      { name: 'hostile-git', value: outside, unit: `read or run, ${unit}`, floor: 0 },
      { name: 'hostile-git-taken', value: breaches.length - outside, unit: `not refused, ${unit}`, floor: 0 },
    ];
  } finally {
    world.remove();
  }
}

function rowsOf(use: AddressRow['use'], classes: Readonly<Record<string, readonly string[]>>): readonly AddressRow[] {
  return Object.entries(classes).flatMap(([of, texts]) => texts.map((text) => ({ use, of, text })));
}

/** Variables that somebody gave this process. */
export const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a configuration of a user': { GIT_CONFIG_GLOBAL: '{outside}/gitconfig' },
  'a configuration of the machine': { GIT_CONFIG_SYSTEM: '{outside}/gitconfig', GIT_CONFIG_NOSYSTEM: '0' },
  'a home with a configuration': { HOME: '{outside}/home', XDG_CONFIG_HOME: '{outside}/home' },
  'a setting': { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '{outside}/hooks' },
  'a setting in the old way': { GIT_CONFIG_PARAMETERS: "'core.hooksPath={outside}/hooks'" },
  'a template with hooks': { GIT_TEMPLATE_DIR: '{outside}' },
  'programs in the place of its own': { GIT_EXEC_PATH: '{outside}/hooks' },
  'another ssh': {
    GIT_SSH: '{outside}/hooks/post-checkout',
    GIT_SSH_COMMAND: 'touch {marker}',
    GIT_PROXY_COMMAND: 'touch {marker}',
  },
  'who answers questions': {
    GIT_ASKPASS: '{outside}/hooks/post-checkout',
    SSH_ASKPASS: '{outside}/hooks/post-checkout',
  },
  'another repository': { GIT_DIR: '{outside}', GIT_OBJECT_DIRECTORY: '{outside}', GIT_COMMON_DIR: '{outside}' },
  'objects from elsewhere': { GIT_ALTERNATE_OBJECT_DIRECTORIES: '{outside}/objects', GIT_NAMESPACE: 'x' },
  'a trace into a file': {
    GIT_TRACE: '{marker}',
    GIT_TRACE2_EVENT: '{marker}',
    GIT_TRACE_CURL: '{marker}',
    GIT_TRACE_PACKET: '{marker}',
  },
  'every protocol': { GIT_ALLOW_PROTOCOL: 'ext:file:https:ssh', GIT_PROTOCOL_FROM_USER: '1' },
  'other refs in the place of these': { GIT_REPLACE_REF_BASE: 'refs/heads/', GIT_GRAFT_FILE: '{outside}/canary.yaml' },
};

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

export type AddressUse = 'url' | 'branch' | 'ref' | 'path';

export interface AddressRow {
  readonly use: AddressUse;
  readonly of: string;
  readonly text: string;
}

/** Each is refused before git sees it. What is not is given to git, to see what comes of it. */
export async function judgeAddresses(
  world: HostileWorld,
  rows: readonly AddressRow[],
  guards: Guards,
): Promise<readonly Breach[]> {
  const breaches: Breach[] = [];
  for (const { use, of, text } of rows) {
    const taken = await isTaken(world, { use, of, text: world.fill(text) }, guards);
    const what = `${use} ${JSON.stringify(text.slice(0, 100))}`;
    if (world.wasRun()) breaches.push({ of, what, how: 'ran' });
    else if (taken) breaches.push({ of, what, how: 'taken' });
  }
  return breaches;
}

const SOUND = 'https://git.acme.example/x';

async function isTaken(world: HostileWorld, { use, of, text }: AddressRow, guards: Guards): Promise<boolean> {
  const folder = join(world.dir, 'mirrors');
  const place: RepositoryPlace = { url: SOUND, ...(use === 'ref' ? {} : { [use]: text }) };
  try {
    const repository = openRepository({ ...place, folder, env: { PATH: process.env['PATH'] }, guards });
    if (use === 'ref') await repository.resolve(text, AbortSignal.abort());
    // why: only such an address could run something; another would be looked for in the network
    if (of === 'form' && text.includes('touch')) await repository.fetch().catch(() => undefined);
    return true;
  } catch (error) {
    return !(error instanceof RepositoryError && error.trouble === 'refused');
  }
}

/** A sound repository is fetched with what somebody gave this process: nothing of that may run. */
export async function judgeEnvironments(
  world: HostileWorld,
  rows: Readonly<Record<string, Readonly<Record<string, string>>>>,
  guards: Guards,
): Promise<readonly Breach[]> {
  const url = world.bare('sound.git');
  const head = soundCommit(url, world);
  spoil(url, world);
  const breaches: Breach[] = [];
  for (const [index, [what, given]] of Object.entries(rows).entries()) {
    const filled = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, world.fill(value)]));
    const folder = join(world.dir, `mirrors-${index}`);
    const env = { PATH: process.env['PATH'], ...filled };
    const repository = openRepository({ url, folder, env, guards, allowFile: true });
    const fetched = await repository.fetch().catch(String);
    if (world.wasRun()) breaches.push({ of: 'environment', what, how: 'ran' });
    else if (fetched !== head) breaches.push({ of: 'environment', what: `${what}: ${fetched}`, how: 'taken' });
  }
  return breaches;
}

function soundCommit(url: string, world: HostileWorld): string {
  const objects = looseObjects(url, world.fill);
  const commit = objects.commit(objects.tree([entry.file('0.yaml')]));
  mkdirSync(join(url, 'refs/heads'), { recursive: true });
  writeFileSync(join(url, 'refs/heads/main'), `${commit}\n`);
  return commit;
}

/** The check that refuses a class of rows: with it they are refused, without it they are not. */
export interface HostileClass {
  /** Codes of problems, one of which each row must have. */
  readonly codes: readonly string[];
  /** The reader with this one check off. */
  readonly without: (guards: Guards) => Guards;
}

type Rules = Guards['trees'];

const changeTrees = (guards: Guards, change: (rules: Rules) => Partial<Rules>): Guards => ({
  ...guards,
  trees: { ...guards.trees, ...change(guards.trees) },
});

const rule =
  (name: string) =>
  (guards: Guards): Guards =>
    changeTrees(guards, ({ entries }) => ({ entries: entries.filter((one) => one.name !== name) }));

const limits =
  (...names: readonly (keyof Rules['most'])[]) =>
  (guards: Guards): Guards =>
    changeTrees(guards, ({ most }) => ({ most: { ...most, ...Object.fromEntries(names.map((name) => [name, 1e9])) } }));

/** Of trees. */
export const treeClasses: Readonly<Record<string, HostileClass>> = {
  symlink: { codes: ['symlink'], without: rule('symlink') },
  gitlink: { codes: ['gitlink'], without: rule('gitlink') },
  dots: { codes: ['bad-name'], without: rule('dots') },
  slash: { codes: ['bad-name'], without: rule('slash') },
  'dot-git': { codes: ['bad-name'], without: rule('dot-git') },
  option: { codes: ['bad-name'], without: rule('option') },
  character: { codes: ['bad-name', 'bad-character', 'bad-encoding'], without: rule('character') },
  length: { codes: ['bad-name'], without: rule('length') },
  again: { codes: ['twin-file'], without: rule('again') },
  twins: { codes: ['twin-file'], without: (guards) => changeTrees(guards, () => ({ twins: () => [] })) },
  huge: { codes: ['unreadable', 'tree-too-large'], without: limits('fileBytes') },
  deep: { codes: ['tree-too-deep'], without: limits('folderDepth') },
  many: { codes: ['tree-too-large', 'unreadable'], without: limits('files', 'entries') },
  mode: { codes: ['bad-mode'], without: rule('mode') },
  object: { codes: ['unreadable'], without: (guards) => ({ ...guards, objects: [] }) },
  'user-data': { codes: ['user-data', 'bad-value'], without: rule('option') },
};

const url =
  (name: string) =>
  (guards: Guards): Guards => ({
    ...guards,
    urls: { ...guards.urls, rules: guards.urls.rules.filter((one) => one.name !== name) },
  });

/** Whatever stands there goes to git as it is. */
const anyForm = (guards: Guards): Guards => {
  const taken = (text: string) => ({ scheme: 'ssh', url: text, name: text, host: 'x', user: '', path: 'x' }) as const;
  return { ...guards, urls: { ...guards.urls, forms: [...guards.urls.forms, taken] } };
};

/** The guards with one check of addresses, of names or of folders off. */
export const withoutUrl = (name: string): HostileClass['without'] => (name === 'form' ? anyForm : url(name));

export const withoutName =
  (of: 'names' | 'paths', name: string) =>
  (guards: Guards): Guards => ({ ...guards, [of]: guards[of].filter((one) => one.name !== name) });
