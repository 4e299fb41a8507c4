import type { Follow } from '../cli/house.ts';
import type { Source } from '../fleet/worker-context.ts';
import { loadSpecs } from '../source/load.ts';
import { followedRepository } from './followed-repository.ts';

export interface Grounds {
  /** The store's folder: mirrors of repositories lie there. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** 2027-01-31 */
  readonly today: () => string;
}

/** A folder is looked at so often. */
const folderEveryMs = 1_000;

export function sourcesOf({ dirs, overlay, repository }: Follow, grounds: Grounds): readonly Source[] {
  const over = overlay === undefined ? {} : { overlay };
  const folders = dirs.map((dir) => ({
    name: dir,
    everyMs: folderEveryMs,
    read: () => loadSpecs(dir, grounds.today(), overlay),
  }));
  return repository === undefined ? folders : [...folders, followedRepository(repository, { ...grounds, ...over })];
}
