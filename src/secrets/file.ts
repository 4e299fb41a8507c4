import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Failure, Result } from '../core/failure.ts';
import { mostBytes, unusable } from './secret-text.ts';

/**
 * A file under the folder of secrets. Links inside it are followed, as kubelet mounts secrets through them
 * (https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets-as-files-from-a-pod); none leads out.
 */
export async function readSecretFile(path: string, folder: string | undefined): Promise<Result<Uint8Array>> {
  if (folder === undefined || folder === '')
    return failed('terminal', 'secret-refused', 'SETPOINT_SECRETS_DIR is not set');
  try {
    const root = await realpath(folder);
    const real = await realpath(join(root, path));
    if (!isInside(relative(root, real)))
      return failed('terminal', 'secret-refused', 'it leads out of SETPOINT_SECRETS_DIR');
    // why: what was judged is what is opened; NONBLOCK, as a FIFO would wait for a writer
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).isFile() ? { ok: true, value: await atMost(mostBytes + 1, file) } : notPlain;
    } finally {
      await file.close();
    }
  } catch (cause) {
    return unread(cause);
  }
}

const isInside = (path: string): boolean =>
  path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);

const notPlain = unusable('it is not a plain file');

async function atMost(bytes: number, file: FileHandle): Promise<Uint8Array> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

const REASONS: Readonly<Record<string, readonly [Failure['kind'] & ('not-found' | 'terminal'), string]>> = {
  ENOENT: ['not-found', 'there is nothing by this name under SETPOINT_SECRETS_DIR'],
  ENOTDIR: ['not-found', 'there is nothing by this name under SETPOINT_SECRETS_DIR'],
  EACCES: ['terminal', 'this process may not read it'],
  ELOOP: ['terminal', 'its links lead in a circle'],
};

function unread(cause: unknown): Result<never> {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  const [kind, message] = REASONS[code] ?? ['terminal', `it cannot be read (${code})`];
  return failed(kind, kind === 'not-found' ? 'secret-missing' : 'secret-refused', message);
}

const failed = (kind: 'not-found' | 'terminal', code: string, message: string): Result<never> => ({
  ok: false,
  failure: { kind, code, message },
});
