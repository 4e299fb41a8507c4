import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The address where a process listens. */
export interface ListenAddress {
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

/** Paths in, PEM out. Throws where one cannot be read, holds something else, or is not of the other: which, and what to do. */
export async function readTls(files: Tls): Promise<Tls> {
  const [cert, key] = await Promise.all([read('--tls-cert', files.cert), read('--tls-key', files.key)]);
  if (!certificateIn(cert, files.cert).checkPrivateKey(privateKeyIn(key, files.key)))
    throw new Error(
      `the private key in ${files.key} of --tls-key is not that of the certificate in ${files.cert} of --tls-cert. Of a chain our own certificate comes first.`,
    );
  return { cert, key };
}

async function read(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const why = code === 'ENOENT' ? 'there is no such file' : code;
    throw new Error(`the file ${file} of ${option} cannot be read: ${why}`, { cause });
  }
}

function certificateIn(text: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw new Error(`${file} of --tls-cert holds no certificate in PEM ("-----BEGIN CERTIFICATE-----")`, { cause });
  }
}

function privateKeyIn(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new Error(`${file} of --tls-key holds no private key in PEM that needs no passphrase`, { cause });
  }
}
