import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { canonical } from '../../src/core/ledger/canonical.ts';
import { type SignedCheckpoint, withoutHeads } from '../../src/core/ledger/chain.ts';
import { sha256 } from '../../src/store/signing.ts';
import { readableWitnessAt, type WitnessMeans, witnessAt } from '../../src/witness/witnesses.ts';

const folder = await mkdtemp(join(tmpdir(), 'setpoint-witness-'));
after(() => rm(folder, { recursive: true }));

const checkpoint = (number: number): SignedCheckpoint => ({
  ...{ store: 's1', estate: 'acme', number, at: 1_000 * number, previous: number === 1 ? '' : 'root' },
  ...{ heads: [{ of: 'people', number, hash: `h${number}` }], key: 'k', signature: 'c2ln' },
});
const [first, second] = [checkpoint(1), checkpoint(2)];

const means: WitnessMeans = {
  hash: sha256,
  objects: () => assert.fail('no bucket is named'),
};

const portOf = (server: Server): number => {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
};

test('a file keeps one line a checkpoint, and a line that a crash cut short harms no other', async () => {
  const path = join(folder, 'witness.jsonl');
  const witness = witnessAt(path, means);
  await witness.send(first);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await writeFile(path, '{"cut', { flag: 'a' });
  await witness.send(second);
  assert.deepEqual(await witness.read(), [first, second]);
  assert.deepEqual(await readableWitnessAt(path, means).read(), [first, second]);
});

test('a file that cannot be read is an error, not an empty witness', async () => {
  await assert.rejects(witnessAt(join(folder, 'none'), means).read(), /ENOENT/);
});

test('an HTTP witness is posted each checkpoint with the token, and asked for all', async (t) => {
  const posted: string[] = [];
  let answer = 200;
  const server = createHttpServer(async (request, response) => {
    assert.equal(request.headers.authorization, 'Bearer t0ken');
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    if (request.method === 'POST') posted.push(Buffer.concat(pieces).toString());
    response.writeHead(answer).end(request.method === 'GET' ? posted.join('') : '');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const witness = witnessAt(`http://127.0.0.1:${portOf(server)}/w?a=b`, { ...means, token: 't0ken' });
  assert.equal(witness.name, `http://127.0.0.1:${portOf(server)}/w`, 'a query may hold a secret');
  await witness.send(first);
  await witness.send(second);
  assert.deepEqual(await witness.read(), [first, second]);
  answer = 503;
  await assert.rejects(witness.send(first), /it answered 503/);
  await assert.rejects(witness.read(), /it answered 503/);
});

test('an HTTP witness follows no redirect, which could take the token elsewhere', async (t) => {
  let asked = 0;
  const server = createHttpServer((_, response) => {
    asked += 1;
    response.writeHead(asked === 1 ? 307 : 200, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  await assert.rejects(witnessAt(`http://127.0.0.1:${portOf(server)}/w`, means).send(first));
  assert.equal(asked, 1);
});

test('a token goes to no other host without TLS', () => {
  assert.throws(() => witnessAt('http://witness.example/w', { ...means, token: 't0ken' }), /without TLS: use https/);
  assert.doesNotThrow(() => witnessAt('https://witness.example/w', { ...means, token: 't0ken' }));
});

test('a syslog server over TCP is sent the root alone, counted in bytes', async (t) => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (data) => received.push(data.toString()));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const witness = witnessAt(`syslog+tcp://127.0.0.1:${portOf(server)}`, means);
  const accented = { ...first, estate: 'café' };
  await witness.send(accented);
  const [, length, message = ''] = /^(\d+) (.*)$/s.exec(received.join('')) ?? [];
  assert.equal(Number(length), Buffer.byteLength(message));
  assert.match(message, /^<109>1 1970-01-01T00:00:01\.000Z \S+ setpoint - checkpoint - \{/);
  const log = join(folder, 'audit.log');
  await writeFile(log, `Nov 23 11:00:00 host other: x\n${message}\n`);
  assert.deepEqual(await readableWitnessAt(log, means).read(), [withoutHeads(accented, sha256)]);
  await assert.rejects(witness.read(), /name the file of its log/);
});

test('a syslog server that is away is a failure', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  await assert.rejects(witnessAt(`syslog+tcp://127.0.0.1:${port}`, means).send(first), /ECONNREFUSED/);
});

test('a syslog server over UDP is sent one datagram', async (t) => {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const arrived = once(socket, 'message');
  await witnessAt(`syslog://127.0.0.1:${socket.address().port}`, means).send(second);
  const [message] = await arrived;
  assert.ok(String(message).endsWith(canonical(withoutHeads(second, sha256))));
});

test('a password in an address is refused, and not repeated', () => {
  for (const place of ['https://ann:s3cret@host/w', 's3://ann:s3cret@bucket', 'ftp://host/x?key=s3cret'])
    assert.throws(
      () => witnessAt(place, means),
      (error: Error) => !error.message.includes('s3cret'),
    );
});

test('a place that is none is refused with the places that there are', async () => {
  for (const place of ['witness.jsonl', 'ftp://host/x', 'host:514', ''])
    assert.throws(() => witnessAt(place, means), /is not understood: write an absolute path, https:/);
  await writeFile(join(folder, 'copy'), canonical(first));
  assert.deepEqual(await readableWitnessAt(join(folder, 'copy'), means).read(), [first]);
  assert.equal((await readFile(join(folder, 'copy'), 'utf8')).length > 0, true);
});
