import { createSocket } from 'node:dgram';
import { open, readFile } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { canonical } from '../core/ledger/canonical.ts';
import {
  type Hash,
  readWitnessed,
  type SignedCheckpoint,
  type WitnessedCheckpoint,
  withoutHeads,
} from '../core/ledger/chain.ts';
import type { Witness } from '../ports/ledger.ts';

/** `objects`: opens a bucket, named as `s3://BUCKET/PREFIX`. `token`: sent to HTTP witnesses. */
export interface WitnessMeans {
  readonly hash: Hash;
  readonly objects: (place: URL) => Witness;
  readonly token?: string;
}

const answerMs = 10_000;

/**
 * The witness at a place. Throws where the place is none.
 *
 *   place                            | keeps
 *   ---------------------------------+--------------------------------------------------------------
 *   /path                            | one line a checkpoint, on another disk or machine
 *   https://host/path                | what is posted to it; answers a GET with the lines
 *   syslog+tls://host, syslog+tcp:// | RFC 5424; the root alone, and it cannot be asked: name its log
 *   s3://bucket/prefix               | one object a checkpoint, never overwritten
 */
export function witnessAt(place: string, means: WitnessMeans): Witness {
  if (isAbsolute(place)) return fileWitness(place);
  const url = URL.canParse(place) ? new URL(place) : undefined;
  if (url && (url.username !== '' || url.password !== ''))
    throw new Error(`the witness ${nameOf(url)} has a password in its address: set SETPOINT_WITNESS_TOKEN instead`);
  const kind = url?.protocol;
  if (url && (kind === 'https:' || kind === 'http:')) return httpWitness(url, means.token);
  if (url && (kind === 'syslog+tls:' || kind === 'syslog+tcp:' || kind === 'syslog:'))
    return syslogWitness(url, means.hash);
  if (url && kind === 's3:') return means.objects(url);
  throw new Error(
    `the witness "${url ? nameOf(url) : place}" is not understood: write an absolute path, https://HOST/PATH, syslog+tls://HOST or s3://BUCKET/PREFIX`,
  );
}

/** The same for `verify --witness`, where a path may also be a log or a copy in the current folder. */
export const readableWitnessAt = (place: string, means: WitnessMeans): Witness =>
  /^[a-z0-9+]+:\/\//.test(place) ? witnessAt(place, means) : fileWitness(resolve(place));

const fileWitness = (path: string): Witness => ({
  name: path,
  send: async (checkpoint) => {
    const file = await open(path, 'a', 0o600);
    try {
      // why: the line break comes first, so that a line cut short by a crash cannot swallow this one
      await file.appendFile(`\n${canonical(checkpoint)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  read: async () => witnessedIn(await readFile(path, 'utf8')),
});

const witnessedIn = (text: string): readonly WitnessedCheckpoint[] =>
  text.split('\n').flatMap((line) => readWitnessed(line) ?? []);

function httpWitness(url: URL, token: string | undefined): Witness {
  const isPrivate = url.protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (token !== undefined && !isPrivate)
    throw new Error(`the witness ${nameOf(url)} would be sent SETPOINT_WITNESS_TOKEN without TLS: use https`);
  const authorization: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const ask = async (init: RequestInit): Promise<Response> => {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerMs), ...init });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return answer;
  };
  return {
    name: nameOf(url),
    send: async (checkpoint) => {
      const headers = { 'content-type': 'application/json', ...authorization };
      const answer = await ask({ method: 'POST', headers, body: `${canonical(checkpoint)}\n` });
      await answer.body?.cancel();
    },
    read: async () => witnessedIn(await (await ask({ headers: authorization })).text()),
  };
}

/** Without a password in the address, and without a query, which may hold one. */
const nameOf = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

/** RFC 5424 over TLS (RFC 5425), TCP (RFC 6587, octet counting) or UDP (RFC 5426, which loses lines without a word). */
const syslogWitness = (url: URL, hash: Hash): Witness => ({
  name: nameOf(url),
  send: async (checkpoint) => {
    const message = syslogMessage(checkpoint, hash);
    if (url.protocol === 'syslog:') return sendDatagram(url, message);
    return sendStream(url, `${Buffer.byteLength(message)} ${message}`);
  },
  read: async () => {
    throw new Error('a syslog server cannot be asked: name the file of its log with --witness FILE');
  },
});

/** Facility 13, log audit; severity 5, notice: https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1 */
const priority = 13 * 8 + 5;

const syslogMessage = (checkpoint: SignedCheckpoint, hash: Hash): string =>
  `<${priority}>1 ${new Date(checkpoint.at).toISOString()} ${hostname() || '-'} setpoint - checkpoint - ${canonical(withoutHeads(checkpoint, hash))}`;

const usualPorts: Readonly<Record<string, number>> = { 'syslog:': 514, 'syslog+tcp:': 601, 'syslog+tls:': 6514 };

const portOf = ({ port, protocol }: URL): number => (port === '' ? (usualPorts[protocol] ?? 514) : Number(port));

async function sendDatagram(url: URL, message: string): Promise<void> {
  const socket = createSocket(url.hostname.startsWith('[') ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((done, failed) => {
      socket.on('error', failed);
      socket.send(message, portOf(url), bare(url.hostname), (error) => (error ? failed(error) : done()));
    });
  } finally {
    socket.close();
  }
}

/** Resolves once the other side has taken all of it and closed, or acknowledged the end. */
function sendStream(url: URL, message: string): Promise<void> {
  const at = { host: bare(url.hostname), port: portOf(url) };
  return new Promise<void>((done, failed) => {
    const socket: Socket = url.protocol === 'syslog+tls:' ? connectTls({ ...at, servername: at.host }) : connectTcp(at);
    socket.setTimeout(answerMs, () => socket.destroy(new Error('it did not answer in 10 s')));
    socket.on('error', failed);
    socket.on('close', (hadError) => {
      if (!hadError) done();
    });
    socket.resume();
    socket.end(message);
  });
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');
