import type { LookupAddress } from 'node:dns';
import dns from 'node:dns';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isReachable } from '../../core/access/access-document.ts';
import { isLoopback } from '../../core/documents/fields.ts';

/** The allowed addresses of a document, beyond public addresses by https. */
export interface AllowedAddresses {
  /** Addresses of this machine, by http as well; and then no others. */
  readonly allowLocal: boolean;
  /** Private networks. */
  readonly networks: readonly string[];
}

/** The JSON at an address, undefined where it is none; rejects where nothing can be had there. */
export type FetchJson = (url: string, allowed: AllowedAddresses) => Promise<unknown>;

/** A set of keys is a few KiB; who asks with a token waits for this. */
const mostBytes = 256 * 1024;
const mostMs = 5_000;

/**
 * Fetches from where others say: no redirects, no proxies, a limit on size and time, a checked certificate. A name is resolved once,
 * all that it resolves to must be reachable, and what was checked is what is connected to.
 */
export const fetchJson: FetchJson = (url, allowed) => fetchJsonBy(dns.lookup, url, allowed);

/** The same, with another DNS lookup. */
export async function fetchJsonBy(lookup: typeof dns.lookup, url: string, allowed: AllowedAddresses): Promise<unknown> {
  const target = new URL(url);
  assertAllowed(target, allowed);
  const answer = await requestFrom(target, allowed, lookup);
  try {
    if (answer.statusCode !== 200) throw new Error(`the answer is ${answer.statusCode}, and not 200`);
    return parsed(await textOf(answer));
  } finally {
    answer.destroy();
  }
}

function assertAllowed(
  { href, protocol, hostname, username, password }: URL,
  { allowLocal, networks }: AllowedAddresses,
): void {
  if (allowLocal) {
    if (!isLoopback(href)) throw new Error('it is not on this machine, where its issuer is');
    return;
  }
  if (protocol !== 'https:') throw new Error('it is not https');
  if (username !== '' || password !== '') throw new Error('it has a user or a password in it');
  const host = hostname.replace(/^\[|\]$/g, '');
  // why: there is no lookup of a literal IP address, which would check it
  if (isIP(host) !== 0 && !isReachable(host, networks)) throw new Error('it is at an address that is not public');
}

const requestFrom = (target: URL, allowed: AllowedAddresses, lookup: typeof dns.lookup): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const options: RequestOptions = {
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      agent: false,
      rejectUnauthorized: true,
      maxHeaderSize: 16 * 1024,
      signal: AbortSignal.timeout(mostMs),
      ...(allowed.allowLocal ? {} : { lookup: lookupWithin(allowed.networks, lookup) }),
    };
    const request = target.protocol === 'https:' ? overHttps(target, options) : overHttp(target, options);
    request.on('response', resolve).on('error', reject).end();
  });

/** A lookup that fails where one of the addresses is not allowed. */
const lookupWithin =
  (networks: readonly string[], lookup: typeof dns.lookup): LookupFunction =>
  (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const refused = error ?? refusalOf(addresses, networks);
      const [first] = addresses ?? [];
      if (refused !== undefined || first === undefined) callback(refused ?? new Error('it has no address'), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

const refusalOf = (addresses: readonly LookupAddress[], networks: readonly string[]): Error | undefined =>
  addresses.every(({ address }) => isReachable(address, networks))
    ? undefined
    : new Error('its name leads to an address that is not public');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}
