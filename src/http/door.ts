import { readFile } from 'node:fs/promises';

/** Where a process listens. */
export interface Door {
  /** 0: any free one. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** `proxy`: what stands before us has it. Absent: nobody but this machine may ask. */
  readonly tls?: Tls | 'proxy';
}

/** PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export const isLoopbackHost = (host: string): boolean => /^(127(\.\d{1,3}){3}|::1|localhost)$/.test(host);

/** Throws where one of the two files cannot be read, naming it. */
export async function readTls(files: Tls): Promise<Tls> {
  const [cert, key] = await Promise.all([read('--tls-cert', files.cert), read('--tls-key', files.key)]);
  return { cert, key };
}

async function read(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`the file ${file} of ${option} cannot be read: ${String(cause)}`, { cause });
  }
}
