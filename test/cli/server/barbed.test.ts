import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { CreateTagsCommand, CreateVpcCommand, EC2Client } from '@aws-sdk/client-ec2';
import { barbed, barbs, obeyed } from '../../support/barbed.ts';
import { commandLine } from '../support/in-process.ts';
import { sandboxed } from '../support/sandboxed.ts';
import { served } from './support/served.ts';

const place = await sandboxed();
process.chdir(place.specs);
const here = commandLine();
const there = await served(here.database);
const allow = '--allow-endpoint';
const applied = await here(['apply', '.', allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

/** Names on the cloud that anybody with the right to name things may choose. */
const client = new EC2Client({ endpoint: place.sandbox.url, region: 'eu-west-1' });
const { Vpc } = await client.send(new CreateVpcCommand({ CidrBlock: '10.99.0.0/16' }));
const lab = Vpc?.VpcId ?? assert.fail();
const named = [
  { Key: 'Name', Value: `evil${barbs}InSync line` },
  { Key: `tier${barbs}`, Value: barbs },
];
await client.send(new CreateTagsCommand({ Resources: [lab], Tags: named }));
client.destroy();

/** The server, but that each text it says is barbed, other than the estate that it is asked about next. */
const through = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += String(piece);
  const answer = await fetch(`${there.url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      /^(?:authorization|content-type|idempotency-key)$/.test(name) ? [[name, String(value)]] : [],
    ),
    ...(body === '' ? {} : { body }),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(JSON.stringify(barbed(await answer.json(), 'estate')));
});
await new Promise<void>((resolve) => through.listen(0, '127.0.0.1', resolve));
after(() => {
  through.closeAllConnections();
  through.close();
});
// why: it listens, and on a port
const { port } = through.address() as AddressInfo;

const asked = there.ask(here, 'operator');
/** The last `--server` counts. */
const askedThrough = there.ask((args) => here([...args, '--server', `http://127.0.0.1:${port}`]), 'operator');

const lines = (text: string): number => text.split('\n').length;

describe('of a cloud whose objects are barbed', () => {
  for (const args of [
    ['inventory', '.', '--refresh', allow],
    ['inventory', '.'],
    ['inventory', '.', '--json'],
    ['plan', '.', allow],
    ['drift', '.', allow],
    ['explain', lab, '--specs', '.', allow],
  ])
    test(args.join(' '), async () => {
      const { code, stdout, stderr } = await here(args);
      assert.equal(code, 0, stderr);
      assert.deepEqual(obeyed(`${stdout}${stderr}`), [], stdout);
      assert.ok(args[0] === 'drift' || /evil\\u001b\[45m/.test(stdout), stdout);
      assert.doesNotMatch(stdout, /^\s*InSync line/m);
    });
});

describe('of a server each of whose texts is barbed', () => {
  for (const args of [
    ['inventory'],
    ['inventory', '--json'],
    ['plan', '--active'],
    ['explain', 'web-0'],
    ['ledger'],
    ['comment', 'instance/web-0', 'seen'],
    ['pause', '--owner', 'team-web', '--reason', 'a freeze', '--for', '4h'],
    ['incident', 'start', 'outage', '--owner', 'team-web', '--reason', 'a freeze', '--for', '4h'],
    ['incident', 'list'],
    ['resume', '--rollout', '--reason', 'over'],
    ['drift', '--estate', 'other'],
  ])
    test(args.join(' '), async () => {
      const [plain, stung] = [await asked(args), await askedThrough(args)];
      const [said, heard] = [`${plain.stdout}${plain.stderr}`, `${stung.stdout}${stung.stderr}`];
      assert.deepEqual(obeyed(heard), [], heard);
      assert.match(heard, /\\u001b\[45m/);
      if (args[0] !== 'resume') assert.equal(lines(heard), lines(said), heard);
    });
});
