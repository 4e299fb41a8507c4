import { createHash, createHmac } from 'node:crypto';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { SignatureV4 } from '@smithy/signature-v4';
import { canonical } from '../../src/core/ledger/canonical.ts';
import { readWitnessed, type SignedCheckpoint, type WitnessedCheckpoint } from '../../src/core/ledger/chain.ts';
import type { Witness } from '../../src/ports/ledger.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A bucket that speaks the S3 protocol: `s3://BUCKET/PREFIX?region=…`. One object a checkpoint, never overwritten
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html). AWS_ENDPOINT_URL_S3 names another server.
 */
export function s3Witness(place: URL, env: Environment): Witness {
  const bucket = bucketOf(place, env);
  const folder = place.pathname.replace(/^\/|\/$/g, '');
  return {
    name: `s3://${place.host}${place.pathname}`,
    send: async (checkpoint) => {
      const headers = { 'if-none-match': '*', 'content-type': 'application/json' };
      const answer = await bucket({
        method: 'PUT',
        key: keyOf(folder, checkpoint),
        body: canonical(checkpoint),
        headers,
      });
      // why: 412 says that the object is there, as after an answer that was lost; `verify` compares its content
      if (!answer.ok && answer.status !== 412) throw await refusal(answer);
    },
    read: async () => {
      const found: WitnessedCheckpoint[] = [];
      for (let next: string | undefined = ''; next !== undefined; ) {
        const page = await listed(bucket, folder, next);
        for (const key of page.keys) found.push(...(await checkpointAt(bucket, key)));
        next = page.next;
      }
      return found;
    },
  };
}

interface Asked {
  readonly method: 'GET' | 'PUT';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Bucket = (asked: Asked) => Promise<Response>;

const answerMs = 10_000;

function bucketOf({ host: bucket, searchParams }: URL, env: Environment): Bucket {
  const region = searchParams.get('region') ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const other = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const server = new URL(other ?? `https://${bucket}.s3.${region}.amazonaws.com`);
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: fromNodeProviderChain(),
    sha256: Sha256,
    uriEscapePath: false,
  });
  return async ({ method, key, query = {}, headers = {}, body = '' }) => {
    const path = `/${[...(other === undefined ? [] : [bucket]), ...key.split('/')].map(escaped).join('/')}`;
    const hash = createHash('sha256').update(body).digest('hex');
    const signed = await signer.sign({
      method,
      protocol: server.protocol,
      hostname: server.hostname,
      ...(server.port === '' ? {} : { port: Number(server.port) }),
      path,
      query: { ...query },
      headers: { host: server.host, 'x-amz-content-sha256': hash, ...headers },
      body,
    });
    const url = new URL(path, server);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return fetch(url, {
      method,
      headers: signed.headers,
      redirect: 'error',
      signal: AbortSignal.timeout(answerMs),
      ...(method === 'PUT' ? { body } : {}),
    });
  };
}

/** RFC 3986, as the signature wants it. */
const escaped = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const keyOf = (folder: string, { store, estate, number }: SignedCheckpoint): string =>
  [...(folder === '' ? [] : [folder]), store, estate, `${String(number).padStart(12, '0')}.json`].join('/');

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
async function listed(
  bucket: Bucket,
  folder: string,
  after: string,
): Promise<{ keys: readonly string[]; next?: string }> {
  const query = {
    'list-type': '2',
    'encoding-type': 'url',
    ...(folder === '' ? {} : { prefix: `${folder}/` }),
    ...(after === '' ? {} : { 'continuation-token': after }),
  };
  const answer = await bucket({ method: 'GET', key: '', query });
  if (!answer.ok) throw await refusal(answer);
  const xml = await answer.text();
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => decodeURIComponent(key));
  const [, next] = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(xml) ?? [];
  return { keys, next };
}

async function checkpointAt(bucket: Bucket, key: string): Promise<readonly WitnessedCheckpoint[]> {
  const answer = await bucket({ method: 'GET', key });
  if (!answer.ok) throw await refusal(answer);
  const checkpoint = readWitnessed(await answer.text());
  return checkpoint === undefined ? [] : [checkpoint];
}

async function refusal(answer: Response): Promise<Error> {
  const [, code = ''] = /<Code>([^<]*)<\/Code>/.exec(await answer.text()) ?? [];
  return new Error(`it answered ${[answer.status, code].join(' ').trim()}`);
}

/** SHA-256 as the signer wants it: keyed where it is given a secret. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }

  reset(): void {}
}

function bytesOf(secret: string | ArrayBuffer | ArrayBufferView): Uint8Array | string {
  if (typeof secret === 'string') return secret;
  if (secret instanceof ArrayBuffer) return new Uint8Array(secret);
  return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
}
