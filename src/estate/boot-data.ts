import { posix } from 'node:path';
import type { LaunchRef } from '../core/compile/compile.ts';
import type { Hashes } from '../core/compile/instance.ts';
import type { SecretRef } from '../core/documents/secret-ref.ts';
import type { Result } from '../core/failure.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Launch } from '../ports/provider.ts';
import { SecretUnread } from '../ports/secrets.ts';
import type { SpecTree } from '../ports/sources.ts';
import { sha256 } from './sha256.ts';

/** Hashes of what must not stand in a plan: scripts by their bytes, logins by their canonical text. */
export const hashesOf = (tree: SpecTree): Hashes => ({
  userData: (specFile, script) => scriptOf(tree, specFile, script).sha256,
  access: (access) => sha256(canonical(access)),
});

/** The boot data of a machine, in clear: asked for at apply only. */
export async function launchOf(tree: SpecTree, { namedIn, spec }: LaunchRef, resolve: Resolve): Promise<Launch> {
  const { userData, access } = spec;
  const password = access?.password === undefined ? undefined : await passwordOf(access.password, resolve);
  return {
    ...(userData === undefined ? {} : { userData: scriptOf(tree, namedIn, userData.file).bytes.toString('utf8') }),
    ...(access?.user === undefined
      ? {}
      : {
          access: {
            user: access.user,
            sshKeys: access.sshKeys ?? [],
            ...(password === undefined ? {} : { password }),
          },
        }),
  };
}

export type Resolve = (ref: SecretRef) => Promise<Result<string>>;

async function passwordOf(ref: SecretRef, resolve: Resolve): Promise<string> {
  const held = await resolve(ref);
  if (!held.ok) throw new SecretUnread(held.failure);
  return held.value;
}

/** A script counts from the folder of the spec file that names it. */
function scriptOf(tree: SpecTree, specFile: string, file: string): { readonly bytes: Buffer; readonly sha256: string } {
  const path = posix.join(posix.dirname(specFile), file);
  const script = tree.userData.get(path);
  if (script === undefined) throw new Error(`${path} was not read; the specs must have been refused for it`);
  return script;
}
