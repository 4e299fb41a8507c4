import { createHash, createSign, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { EventSender } from './delivery.ts';
import type { GcpDestination } from './destination.ts';

const HOUR_S = 3600;

/** Statuses that acknowledge a message; Pub/Sub retries after any other: https://docs.cloud.google.com/pubsub/docs/push#receive_push */
const ACKNOWLEDGED: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

/** https://docs.cloud.google.com/pubsub/docs/push, with https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions */
export function pushSubscription({ audience, serviceAccount }: GcpDestination, signer: Signer): EventSender {
  const subject = BigInt(`0x${createHash('sha256').update(serviceAccount).digest('hex').slice(0, 16)}`);
  const sub = `1${String(subject).padStart(20, '0').slice(0, 20)}`;
  return {
    post: async (event) => {
      // Receivers compare it with their own clock, so it is real time whatever the sandbox's clock says.
      const iat = Math.floor(Date.now() / 1000);
      const token = await signer.sign({
        aud: audience,
        azp: sub,
        email: serviceAccount,
        email_verified: true,
        exp: iat + HOUR_S,
        iat,
        iss: 'https://accounts.google.com',
        sub,
      });
      return {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'CloudPubSub-Google',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify(event),
      };
    },
    verdict: (status) => (ACKNOWLEDGED.has(status) ? 'taken' : 'again'),
  };
}

interface Message {
  readonly entry: object & { readonly timestamp?: unknown };
  readonly project: string;
  readonly messageId: string;
}

/** A log entry as a push subscription's request has it: https://docs.cloud.google.com/pubsub/docs/push#receive_push */
export function pushMessage({ entry, project, messageId }: Message): object {
  const { timestamp } = entry;
  return {
    message: {
      attributes: { 'logging.googleapis.com/timestamp': timestamp },
      data: Buffer.from(JSON.stringify(entry)).toString('base64'),
      messageId,
      message_id: messageId,
      publishTime: timestamp,
      publish_time: timestamp,
    },
    subscription: `projects/${project}/subscriptions/sandbox`,
  };
}

export interface Signer {
  /** A JSON Web Token with these claims: RS256, as https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions says. */
  sign(claims: object): Promise<string>;
  /** The public key as a JSON Web Key Set. */
  keys(): Promise<object>;
}

interface Key {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** With a key of its own, made when it is first needed: nobody's token of Google's is ever at hand. */
export function makeSigner(): Signer {
  let made: Promise<Key> | undefined;
  const key = (): Promise<Key> => {
    made ??= makeKey();
    return made;
  };
  return {
    sign: async (claims) => {
      const { id, privateKey } = await key();
      const text = `${encoded({ alg: 'RS256', kid: id, typ: 'JWT' })}.${encoded(claims)}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
    },
    keys: async () => {
      const { id, publicKey } = await key();
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: id }] };
    },
  };
}

async function makeKey(): Promise<Key> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('hex').slice(0, 40), privateKey, publicKey };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
