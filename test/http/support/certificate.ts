import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** A certificate of 127.0.0.1, signed by itself, for a day around now: https://www.rfc-editor.org/rfc/rfc5280#section-4.1 */
export function ownCertificate(): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('127.0.0.1')))));
  const day = 86_400_000;
  const validity = sequence(...[-day, day].map((from) => der(0x17, Buffer.from(utc(Date.now() + from)))));
  const names = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names))));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const body = sequence(version, serial, algorithm, name, validity, name, publicKey, extensions);
  const signature = sign('sha256', body, createPrivateKey(privateKey));
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey,
  };
}

const der = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const lengthOf = (length: number): readonly number[] => (length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]);

const utc = (ms: number): string => new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14).concat('Z');
