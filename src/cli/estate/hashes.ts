import { posix } from 'node:path';
import type { LaunchRef } from '../../core/compile/compile.ts';
import type { Hashes } from '../../core/compile/instance.ts';
import { canonical } from '../../core/ledger/canonical.ts';
import type { Launch } from '../../ports/actuator.ts';
import type { SpecTree } from '../house.ts';
import { sha256 } from '../sha256.ts';

/** Hashes of what must not stand in a plan: scripts by their bytes, logins by their canonical text. */
export const hashesOf = (tree: SpecTree): Hashes => ({
  userData: (document, file) => scriptOf(tree, document, file).sha256,
  access: (access) => sha256(canonical(access)),
});

/** What a machine boots with, in clear: asked for at apply only. */
export function launchOf(tree: SpecTree, { document, spec }: LaunchRef): Launch {
  const { userData, access } = spec;
  return {
    ...(userData === undefined ? {} : { userData: scriptOf(tree, document, userData.file).bytes.toString('utf8') }),
    ...(access?.user === undefined ? {} : { access: { user: access.user, sshKeys: access.sshKeys ?? [] } }),
  };
}

/** A file counts from the folder that its document is in. */
function scriptOf(tree: SpecTree, document: string, file: string): { readonly bytes: Buffer; readonly sha256: string } {
  const path = posix.join(posix.dirname(document), file);
  const script = tree.userData.get(path);
  if (script === undefined) throw new Error(`${path} was not read; the specs must have been refused for it`);
  return script;
}
