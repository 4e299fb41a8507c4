import { createHash, createSign, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

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
