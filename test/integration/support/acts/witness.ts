import assert from 'node:assert/strict';
import { s3Witness } from '../../../../providers/witness/s3.ts';
import type { SignedCheckpoint } from '../../../../src/core/ledger/chain.ts';
import type { Life } from '../life.ts';

const checkpoint = (number: number, estate = 'acme prod'): SignedCheckpoint => ({
  ...{ store: 's1', estate, number, at: number, previous: '', heads: [], key: 'k', signature: 'c2ln' },
});

export async function witnesses({ url }: Life): Promise<void> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'witness', AWS_SECRET_ACCESS_KEY: 'witness' });
  const made = await fetch(`${url}/setpoint-witness`, { method: 'PUT', headers: { host: 's3.amazonaws.com' } });
  assert.ok(made.ok, `a bucket is made: ${made.status}`);
  const env = { AWS_ENDPOINT_URL_S3: url, AWS_REGION: 'us-east-1' };
  const witness = s3Witness(new URL('s3://setpoint-witness/ledgers'), env);
  assert.deepEqual(await witness.read(), []);
  await witness.send(checkpoint(1));
  await witness.send({ ...checkpoint(1), signature: 'another' });
  await witness.send(checkpoint(2));
  await witness.send(checkpoint(1, 'b'));
  const held = (await witness.read()).map((one) => `${one.estate} ${one.number} ${one.signature}`);
  assert.deepEqual(held.toSorted(), ['acme prod 1 c2ln', 'acme prod 2 c2ln', 'b 1 c2ln']);
  const other = s3Witness(new URL('s3://no-such-bucket/ledgers'), env);
  await assert.rejects(other.send(checkpoint(1)), /it answered 404 NoSuchBucket/);
}
