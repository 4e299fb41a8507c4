import assert from 'node:assert/strict';
import type dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { after, describe, it } from 'node:test';
import { fetchJson, fetchJsonBy } from '../../../src/http/auth/fetch-json.ts';

const anywhere = { allowLocal: false, networks: [] };
const here = { allowLocal: true, networks: [] };

const ends: (() => unknown)[] = [];
after(() => ends.forEach((end) => void end()));

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  return `http://127.0.0.1:${port}/keys`;
}

/** A port that only counts who comes. */
async function counting() {
  let came = 0;
  const server = createTcp((socket) => {
    came += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  return { port, came: () => came };
}

/** Names lead to these addresses, one list after the other, the last for good. */
function leadingTo(...lists: readonly (readonly string[])[]) {
  let asked = 0;
  const lookup = (_: string, __: object, told: (error: null, found: readonly dns.LookupAddress[]) => void) => {
    const list = lists[Math.min(asked, lists.length - 1)] ?? [];
    asked += 1;
    setImmediate(() =>
      told(
        null,
        list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
  return { lookup: lookup as unknown as typeof dns.lookup, asked: () => asked }; // why: only this form of it is called
}

/** Addresses of this machine, its network and its metadata service, in the spellings of attackers. */
const inner = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.0.2',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0x7f.1',
    '017700000001',
    '0',
    '0.0.0.0',
  ],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '100.64.0.1', '100.100.100.200'],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0xa9.0xfe.0xa9.0xfe', '0251.0376.0251.0376', '169.254.170.2'],
  ...['168.63.129.16', '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['240.0.0.1', '255.255.255.255', '１２７.０.０.１', '127。0。0。1', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:169.254.169.254]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::]', '[2001::1]', '[fe80::1]'],
  ...[
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[fec0::1]',
    '[100::1]',
  ],
];

describe('where keys may be fetched from', () => {
  for (const host of inner)
    it(`${host}: not from there`, () => assert.rejects(fetchJson(`https://${host}/keys`, anywhere), /not public/));

  it('these are as many forms as are promised', () => assert.ok(new Set(inner).size >= 50));

  for (const name of ['localhost', 'LOCALHOST'])
    it(`${name}: not from there`, () => assert.rejects(fetchJson(`https://${name}/keys`, anywhere), /not public/));

  for (const [name, url, why] of [
    ['by http', 'http://login.example/keys', /not https/],
    ['from a file', 'file:///etc/passwd', /not https/],
    ['with a password', 'https://a:b@login.example/keys', /a user or a password/],
  ] as const)
    it(`${name}: no`, () => assert.rejects(fetchJson(url, anywhere), why));

  it('an issuer on this machine leads nowhere else', async () => {
    for (const url of ['https://login.example/keys', 'http://10.0.0.1/keys', 'http://169.254.169.254/'])
      await assert.rejects(fetchJson(url, here), /not on this machine/);
  });
});

describe('a name', () => {
  it('one of whose addresses is inside: nobody is connected to', async () => {
    const { port, came } = await counting();
    const { lookup } = leadingTo(['203.0.114.1', '127.0.0.1']);
    await assert.rejects(fetchJsonBy(lookup, `https://keys.example:${port}/`, anywhere), /leads to an address/);
    assert.equal(came(), 0);
  });

  it('that leads elsewhere the second time: it is asked once, and what was checked is connected to', async () => {
    const { port, came } = await counting();
    const { lookup, asked } = leadingTo(['127.0.0.1'], ['127.0.0.2']);
    const named = { allowLocal: false, networks: ['127.0.0.1/32'] };
    await assert.rejects(fetchJsonBy(lookup, `https://keys.example:${port}/`, named), /socket|TLS|ECONNRESET/);
    assert.deepEqual([came(), asked()], [1, 1]);
  });

  it('that leads into a private network that was named is followed, and into none beside it', async () => {
    const named = { allowLocal: false, networks: ['10.20.0.0/16'] };
    for (const address of ['10.21.0.1', '192.168.0.1', '127.0.0.1'])
      await assert.rejects(
        fetchJsonBy(leadingTo([address]).lookup, 'https://keys.example/', named),
        /leads to an address/,
      );
  });

  it('that leads nowhere', async () => {
    await assert.rejects(fetchJsonBy(leadingTo([]).lookup, 'https://keys.example/', anywhere), /no address/);
  });
});

describe('what is there', () => {
  it('JSON', async () => {
    const url = await serving((_, response) => response.end('{"keys":[]}'));
    assert.deepEqual(await fetchJson(url, here), { keys: [] });
  });

  it('anything else is nothing', async () => {
    const url = await serving((_, response) => response.end('<html>a secret</html>'));
    assert.equal(await fetchJson(url, here), undefined);
  });

  it('a redirect is not followed', async () => {
    let came = 0;
    const to = await serving((_, response) => {
      came += 1;
      response.end('{}');
    });
    const url = await serving((_, response) => response.writeHead(302, { location: to }).end());
    await assert.rejects(fetchJson(url, here), /the answer is 302/);
    assert.equal(came, 0);
  });

  it('more than 256 KiB is not read to its end', async () => {
    let ended = false;
    const url = await serving((_, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(65_536), more);
      };
      response.on('close', () => {
        ended = true;
      });
      more();
    });
    await assert.rejects(fetchJson(url, here), /more than 262144 bytes/);
    while (!ended) await new Promise((done) => setImmediate(done));
  });
});
