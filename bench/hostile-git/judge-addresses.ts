import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Guards } from '../../src/source/git/guards.ts';
import { openRepository } from '../../src/source/git/repository.ts';
import type { RepositoryPlace } from '../../src/source/git/repository-context.ts';
import { RepositoryError } from '../../src/source/git/repository-error.ts';
import { entry } from './entry.ts';
import { type HostileWorld, spoil } from './hostile-world.ts';
import type { Breach } from './judge-trees.ts';
import { looseObjects } from './loose-objects.ts';

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
