import { createHash } from 'node:crypto';
import type { Specs } from '../core/documents/check-specs.ts';
import { sortProblems } from '../core/documents/problem.ts';
import { estateOf } from '../core/documents/spec-set.ts';
import type { KeptTree } from '../ports/fleet-state.ts';
import type { SpecTree } from '../ports/sources.ts';
import { parseSpecs } from './parse-specs.ts';
import { parseSpecsAside } from './parse-thread.ts';
import type { UserData } from './user-data.ts';

/** A tree that the store kept (`keptTree`), as it was read, of this `revision`. `today` (2027-01-31) decides which `ignore` still holds. */
export const parseKept = (kept: KeptTree, revision: string, today: string): SpecTree =>
  treeOf(kept, revision, parseSpecs(kept.specs, today));

/** The same; a large one in a thread of its own. */
export const parseKeptAside = async (kept: KeptTree, revision: string, today: string): Promise<SpecTree> =>
  treeOf(kept, revision, await parseSpecsAside(kept.specs, today));

function treeOf({ specs, userData, overlay }: KeptTree, revision: string, { documents, problems }: Specs): SpecTree {
  return {
    estate: estateOf(documents),
    documents,
    problems: sortProblems([...problems]),
    revision,
    files: specs,
    userData: new Map(userData.map((file) => [file.path, scriptOf(file)])),
    ...(overlay === undefined ? {} : { overlay }),
  };
}

function scriptOf({ path, base64 }: KeptTree['userData'][number]): UserData {
  const bytes = Buffer.from(base64, 'base64');
  return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
