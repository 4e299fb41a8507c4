import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import * as ec2 from '@aws-sdk/client-ec2';
import fc from 'fast-check';
import { bounds } from '../../../providers/aws/rate-limits.ts';
import { parseXml } from '../../../providers/aws/xml.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { type Answer, answerOf, assertReadAlike, comparingClient, readInOurTurns } from '../../support/aws-answers.ts';
import { openAwsSession } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { instanceOf, listOf, makeEstate } from './estate.ts';

const folder = resolve(
  join(import.meta.dirname, '../../..'),
  process.env['SETPOINT_RECORDINGS'] ?? '../shared/recordings',
);
const skip = existsSync(folder) ? false : `no ${folder}; set SETPOINT_RECORDINGS`;

interface Recorded {
  readonly file: string;
  readonly op: string;
  readonly data: object;
}

const recordings = (): readonly Recorded[] =>
  readFileSync(join(folder, 'aws.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded); // why: the file holds what its README says

test('each recorded answer is read as the SDK reads it, in any layout', { skip }, async () => {
  let objects = 0;
  for (const { file, op, data } of recordings()) {
    for (const between of [
      '',
      '\n    ',
      '\r\n\t',
      '<!-- a comment -->\n',
      '<notInTheModel a="1">&lt;<b/></notInTheModel>',
    ]) {
      const read = await assertReadAlike(op, { body: await answerOf(op, data, between) }, file);
      const [list = []] = Object.keys(data).map((key) => (read as Record<string, unknown>)[key]); // why: as it was written
      objects += Array.isArray(list) ? list.length : 0;
    }
  }
  assert.ok(objects > 1_000, `${objects} objects`);
});

const vpcs = (content: string): string => `<DescribeVpcsResponse><vpcSet>${content}</vpcSet></DescribeVpcsResponse>`;
const vpc = (content: string): string => vpcs(`<item><vpcId>${content}</vpcId></item>`);
const long = (piece: string, shift: number): string => 'x'.repeat(shift) + piece.repeat(12_000);

const answers: Readonly<Record<string, string | Buffer>> = {
  'nothing at all': '',
  blanks: ' \r\n\t ',
  'no markup': 'Service Unavailable',
  'a page for people': '<!DOCTYPE html [ <!ENTITY a "b"> ]>\n<html><body><h1>503</h1><br></body></html>',
  'a page that closes': '<!doctype html><html><body class="a">503<br/></body></html>',
  'a DOCTYPE that never ends': '<!DOCTYPE a [',
  'only a prolog': '<?xml version="1.0"?><!-- nothing -->',
  'a mark of the byte order': '\uFEFF<a/>',
  'a root alone': '<DescribeVpcsResponse/>',
  'a root with a text': '<a b="c">d</a>',
  'a root with a text alone': '<a>d</a>',
  'no list': '<DescribeVpcsResponse><requestId>r</requestId></DescribeVpcsResponse>',
  'an empty list': '<DescribeVpcsResponse><vpcSet/></DescribeVpcsResponse>',
  'an empty list of two tags': vpcs(''),
  'an empty list in lines': vpcs('\n  '),
  'a text for a list': vpcs('none'),
  'a list that comes twice': '<a><vpcSet><item><vpcId>a</vpcId></item></vpcSet><vpcSet><item/></vpcSet></a>',
  'an empty item': vpcs('<item/>'),
  'items and a text': vpcs('<item><vpcId>a</vpcId></item>and<item><vpcId>b</vpcId></item>'),
  'items that are texts': vpcs('<item>a</item><item>b</item>'),
  'a member that comes twice': vpcs('<item><vpcId>a</vpcId><vpcId>b</vpcId></item>'),
  'a member with an attribute': vpcs('<item><vpcId a="b">c</vpcId><state a="b"/></item>'),
  'fields that nobody knows': vpcs('<item><new><deep>1</deep></new><vpcId>a</vpcId></item>'),
  'names of a prototype': vpcs('<item><constructor><a/></constructor><toString>a</toString><vpcId>b</vpcId></item>'),
  'attributes of a prototype': vpcs('<item __proto__="a" toString="b"><vpcId>c</vpcId></item>'),
  'an item that is a prototype': '<__proto__><vpcSet><item><vpcId>a</vpcId></item></vpcSet></__proto__>',
  entities: vpc('&amp;lt; &lt;&gt;&quot;&apos; &#x4e2d;&#20013;&#x1F600; &nope; &amp &#xg; &#13;'),
  CDATA: vpc('a<![CDATA[<b>&amp;\r\n]]>c'),
  'comments that are short': `${vpc('a<!-->b')}`,
  'CDATA that never ends': vpc('<![CDATA[a'),
  'comments in a text': vpc('a<!-- b -->c<?d?>e'),
  'a comment in blanks': vpc(' \n <!-- b --> \n '),
  'blanks in one line': vpc('  '),
  'line ends': vpc('a\rb\r\nc\n\rd'),
  'letters of many bytes': vpc('é 中 😀 \u2028'),
  'bytes that are no letters': Buffer.concat([
    Buffer.from('<a><vpcSet><item><vpcId>'),
    Buffer.from([0xc3, 0x28, 0xf0, 0x9f, 0x80]),
    Buffer.from('</vpcId></item></vpcSet></a>'),
  ]),
  'tags of many bytes': vpcs('<item><é>a</é><vpcId>b</vpcId></item>'),
  'tags with blanks': '<a ><vpcSet\n><item\t><vpcId >a</vpcId ></item\n></vpcSet\r></a\u00a0>',
  'tags that do not fit': vpcs('<item><vpcId>a</state></item>'),
  'tags of many bytes that do not fit': vpcs('<é></è>'),
  'a tag without a name': vpcs('<>a</>'),
  'a tag that is not closed': '<DescribeVpcsResponse><vpcSet>',
  'a tag that ends early': '<DescribeVpcsResponse',
  'an end that ends early': '<a><vpcSet></vpcSet',
  'an attribute that ends early': '<a b="c',
  'an attribute without a value': '<a b>c</a>',
  'an attribute without quotes': '<a b=cdc e="f">g</a>',
  'an attribute with marks': `<a b='<">&amp;\r\n' c = "d" />`,
  'a slash in a tag': '<a/b>c</a>',
  'two roots': '<a/><b/>',
  'times, numbers and truths':
    '<a><instanceTypeSet/><reservationSet><item><instancesSet><item><launchTime>2026-01-02T03:04:05.678Z</launchTime><amiLaunchIndex>7</amiLaunchIndex><ebsOptimized>true</ebsOptimized></item></instancesSet></item></reservationSet></a>',
  'times, numbers and truths that are none':
    '<a><reservationSet><item><instancesSet><item><launchTime>yesterday</launchTime><amiLaunchIndex>few</amiLaunchIndex><ebsOptimized>perhaps</ebsOptimized></item></instancesSet></item></reservationSet></a>',
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 11, 32].flatMap((shift) => [
      [`a long text with entities, ${shift}`, vpc(long('&amp;é\r\n&#x4e2d;', shift))],
      [`a long text of letters, ${shift}`, vpc(long('😀中é', shift))],
      [`a long text of line ends, ${shift}`, vpc(long('\r\n\r', shift))],
      [`a long section of CDATA, ${shift}`, vpc(`<![CDATA[${long('&amp;é\r\n', shift)}]]>`)],
      [`a long comment, ${shift}`, vpc(`<!--${'- '.repeat(131_070)}${'x'.repeat(shift)}-->a`)],
      [`a long comment that never ends, ${shift}`, vpc(`<!--${'- '.repeat(131_070)}${'x'.repeat(shift)}`)],
      [`a long attribute, ${shift}`, `<a b="${long('&lt;\r\n é', shift)}"><vpcSet/></a>`],
      [
        `long text that is no UTF-8, ${shift}`,
        Buffer.concat([
          Buffer.from(`<a>${'x'.repeat(shift)}`),
          Buffer.alloc(90_000, 0x80),
          Buffer.from([0xe2, 0x82]),
          Buffer.from('</a>'),
        ]),
      ],
    ]),
  ),
};

for (const status of [200, 400, 503])
  test(`odd answers of ${status} are read as the SDK reads them, and refused with its words`, async () => {
    for (const [name, body] of Object.entries(answers))
      for (const action of ['DescribeVpcs', 'DescribeInstances']) await assertReadAlike(action, { body, status }, name);
  });

test('errors are read as the SDK reads them', async () => {
  const error = '<Error><Code>InvalidVpcID.NotFound</Code><Message>no &quot;vpc-1&quot;</Message></Error>';
  for (const body of [
    `<Response><Errors>${error}</Errors><RequestID>r-2</RequestID></Response>`,
    `<Response>\n <Errors>\n ${error}${error}</Errors></Response>`,
    `<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message/></Error></ErrorResponse>`,
    `<Response>${error}</Response>`,
    '<Response><Errors/></Response>',
  ])
    for (const status of [400, 404, 412, 500, 503]) await assertReadAlike('DescribeVpcs', { body, status }, body);
});

describe('an answer beyond its bounds', () => {
  const beyond: Readonly<Record<string, readonly [body: string, RegExp]>> = {
    'more bytes': [vpcs(' '.repeat(bounds.bytes)), /^AWS answered a call of EC2 with more than 32 MiB\./],
    'more items in a list': [vpcs('<item/>'.repeat(bounds.items + 1)), /with more than 20,000 items in a list\./],
    'a longer text': [vpc('a'.repeat(bounds.text + 1)), /with a text of more than 1 MiB\./],
    'a longer text, in parts': [vpc('a<!-- -->'.repeat(bounds.text + 1)), /with a text of more than 1 MiB\./],
  };
  for (const [name, [body, message]] of Object.entries(beyond))
    test(`is no answer: ${name}`, async () => {
      for (const status of [200, 400])
        await withAnswer({ body, status }, async (session) => {
          const error = await listOf(session, 'network').catch((thrown: unknown) => thrown);
          assert.ok(error instanceof ListingFailed);
          assert.deepEqual([error.failure?.kind, error.failure?.code], ['retryable', 'AnswerTooLarge']);
          assert.match(error.failure?.message ?? '', message);
          assert.doesNotMatch(error.failure?.message ?? '', /raw response/);
        });
    });

  test('is read up to its bounds', async () => {
    const most = vpcs('<item><vpcId>a</vpcId></item>'.repeat(bounds.items));
    await assertReadAlike('DescribeVpcs', { body: most }, 'most items');
    await assertReadAlike('DescribeVpcs', { body: vpc('a'.repeat(bounds.text)) }, 'the longest text');
  });
});

test("the sandbox's answers are read as the SDK reads them", async () => {
  const estate = await makeEstate(true);
  await estate.session.actuators.instance.create([instanceOf(estate, ['web', 0])], recordedCall());
  const client = comparingClient(estate.stage.sandbox.url);
  try {
    const { Reservations } = await client.send(new ec2.DescribeInstancesCommand({}));
    assert.equal(Reservations?.length, 1);
    const { SecurityGroups } = await client.send(new ec2.DescribeSecurityGroupsCommand({ MaxResults: 5 }));
    assert.ok(SecurityGroups?.some(({ Tags }) => Tags !== undefined));
    await client.send(new ec2.DescribeVpcsCommand({}));
    await client.send(new ec2.DescribeSubnetsCommand({}));
    await client.send(new ec2.DescribeSecurityGroupRulesCommand({}));
    await client.send(new ec2.DescribeVolumesCommand({}));
    await client.send(new ec2.DescribeNetworkInterfacesCommand({}));
    await client.send(new ec2.DescribeRouteTablesCommand({}));
    await client.send(new ec2.DescribeInternetGatewaysCommand({}));
    await assert.rejects(client.send(new ec2.DeleteVpcCommand({ VpcId: 'vpc-0' })), ec2.EC2ServiceException);
    await assert.rejects(client.send(new ec2.DescribeVpcsCommand({ MaxResults: 1 })), ec2.EC2ServiceException);
  } finally {
    client.destroy();
    await estate.stage.close();
  }
});

test('whatever text there is, it is read or refused as the SDK does', async () => {
  const tags = ['reservationSet', 'item', 'instancesSet', 'tagSet', 'a', 'constructor', 'é'];
  const text = fc.constantFrom(
    '',
    ' ',
    '\n',
    '\r\n',
    'a',
    '&amp;',
    '&#x41;',
    '&',
    '<!-- b -->',
    '<![CDATA[<]]>',
    '<?c?>',
    '中',
  );
  const attributes = fc.constantFrom('', ' ', ' a="b"', ' a=\'&lt;\' b=""', '\n');
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc
      .tuple(
        fc.constantFrom(...tags),
        attributes,
        fc.array(fc.oneof({ depthSize: 'small' }, text, tie('tree')), { maxLength: 5 }),
      )
      .map(([tag, with_, inner]) =>
        inner.length === 0 ? `<${tag}${with_}/>` : `<${tag}${with_}>${inner.join('')}</${tag}>`,
      ),
  }));
  const marks = fc.constantFrom(
    '<',
    '>',
    '/',
    '</',
    '/>',
    '=',
    '"',
    "'",
    '<!',
    '--',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '?>',
    '[',
    ']',
    '<!DOCTYPE',
  );
  const broken = fc
    .array(fc.oneof(tree, text, marks, fc.constantFrom(...tags)), { maxLength: 8 })
    .map((all) => all.join(''));
  const body = fc.oneof(
    tree,
    broken,
    broken.map((inner) => `<a>${inner}</a>`),
  );
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(200, 400), async (body, status) => {
      await assertReadAlike('DescribeInstances', { body, status });
    }),
    { numRuns: 1_500, seed: 7 },
  );
});

test('a tag that is the name of a prototype is read as no field, and reaches none', async () => {
  const body = '<a><item><__proto__><vpcId>a</vpcId></__proto__><__proto__/><vpcId>b</vpcId></item></a>';
  assert.deepStrictEqual(await parseXml(Buffer.from(body)), { item: { vpcId: 'b' } });
});

test('the loop goes on while a large page is read', async () => {
  const instance = {
    InstanceId: 'i-1',
    Tags: Array.from({ length: 20 }, (_, n) => ({ Key: `key-${n}`, Value: '<>'.repeat(20) })),
  };
  const data = { Reservations: Array.from({ length: 2_000 }, () => ({ Instances: [instance] })) };
  const body = await answerOf('DescribeInstances', data);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  try {
    await readInOurTurns('DescribeInstances', { body });
  } finally {
    clearImmediate(ticking);
  }
  // why: this is 100 ms of work on any machine, and the SDK takes none or one turn for it
  assert.ok(turns > 3, `${turns} turns`);
});

test('a client of ours reads in turns: it needs no stack for what is nested', async () => {
  const nested = 200_000;
  const body = `<DescribeVpcsResponse><new>${'<a>'.repeat(nested)}${'</a>'.repeat(nested)}</new><vpcSet/></DescribeVpcsResponse>`;
  await withAnswer({ body }, async (session) => {
    assert.deepEqual(await listOf(session, 'subnet'), []);
  });
});

/** A session with a cloud that gives this answer to every call. */
async function withAnswer({ body, status = 200 }: Answer, use: (session: Session) => Promise<void>): Promise<void> {
  const server = createServer((_, answer) => answer.writeHead(status).end(body));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  const session = await openAwsSession(`http://127.0.0.1:${port}`, { now: () => Date.now(), sleep: async () => {} });
  try {
    await use(session);
  } finally {
    await session.close();
    server.close();
  }
}
