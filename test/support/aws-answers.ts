import assert from 'node:assert/strict';
import * as ec2 from '@aws-sdk/client-ec2';
import { readInTurns } from '../../providers/aws/decode.ts';

/** An answer of the scripted EC2. */
export interface Answer {
  readonly body: string | Buffer;
  readonly status?: number;
}

const region = 'eu-west-1';
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };

type Read = (action: string, answer: Answer) => Promise<unknown>;

/** Reads answers as the SDK does, and as our client does. What is thrown is read too. */
export const readBySdk: Read = reader(() => {});
export const readInOurTurns: Read = reader(readInTurns);

/** Says by which of the two an answer is read otherwise. */
export async function assertReadAlike(action: string, answer: Answer, message?: string): Promise<unknown> {
  const want = await readBySdk(action, answer);
  assert.deepStrictEqual(await readInOurTurns(action, answer), want, message);
  return want;
}

/** A client of a cloud that is there. Each of its answers is read by the SDK too, and must be read alike. */
export function comparingClient(endpoint: string): ec2.EC2Client {
  const client = new ec2.EC2Client({ region, credentials, endpoint, maxAttempts: 1 });
  // why: `readInTurns` replaces this method
  const protocol = client.config.protocol as unknown as { deserializer: { read(...asked: unknown[]): unknown } };
  const sdks = protocol.deserializer;
  readInTurns(client);
  const ours = protocol.deserializer;
  protocol.deserializer = {
    ...ours,
    read: async (...asked) => {
      const read = await ours.read(...asked);
      assert.deepStrictEqual(read, sdks.read(...asked));
      return read;
    },
  };
  return client;
}

/** An answer with this content, as boto3 decodes it, by the SDK's model. `between`: the text between two elements. */
export async function answerOf(action: string, data: object, between = ''): Promise<string> {
  const schema = await modelOf(action);
  const item = (of: Schema, tag: string, value: unknown): string => `<${tag}>${content(of, value)}</${tag}>${between}`;
  const content = (of: Schema, value: unknown): string => {
    if (of.isListSchema()) {
      const tag = of.getValueSchema().getMergedTraits().xmlName ?? 'member';
      const items = value as readonly unknown[]; // why: so does the model say
      return between + items.map((one) => item(of.getValueSchema(), tag, one)).join('');
    }
    if (!of.isStructSchema()) return escaped(String(value));
    const held = value as Readonly<Record<string, unknown>>; // why: so does the model say
    const members = [...of.structIterator()].filter(([name]) => held[name] !== undefined && held[name] !== null);
    return (
      between +
      members.map(([name, member]) => item(member, member.getMemberTraits().xmlName ?? name, held[name])).join('')
    );
  };
  const name = `${action}Response`;
  const open = `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">`;
  return `${open}${between}<requestId>r-1</requestId>${content(schema, data)}</${name}>`;
}

/** A shape of the SDK's model: `NormalizedSchema` of @smithy/core. */
interface Schema {
  isListSchema(): boolean;
  isStructSchema(): boolean;
  getValueSchema(): Schema;
  getMergedTraits(): { readonly xmlName?: string };
  getMemberTraits(): { readonly xmlName?: string };
  structIterator(): Iterable<readonly [name: string, schema: Schema]>;
}

async function modelOf(action: string): Promise<Schema> {
  let model: Schema | undefined;
  const read = reader(({ config }) => {
    // why: the SDK exports no model of an answer, and hands it to its deserialiser
    const { deserializer } = config.protocol as unknown as { deserializer: { read(schema: Schema): unknown } };
    deserializer.read = (schema) => {
      model = schema;
    };
  });
  await read(action, { body: '<a/>' });
  assert.ok(model);
  return model;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;');

function reader(prepare: (client: ec2.EC2Client) => void): Read {
  let next: Answer = { body: '' };
  const client = new ec2.EC2Client({
    region,
    credentials,
    maxAttempts: 1,
    requestHandler: {
      handle: async () => {
        const { body, status = 200 } = next;
        const headers = { 'x-amzn-requestid': 'r-1' };
        // why: the SDK's handlers answer with a class of its own, and only this is looked at
        return { response: { statusCode: status, headers, body: Buffer.from(body) } as never };
      },
    },
  });
  prepare(client);
  return async (action, answer) => {
    next = answer;
    try {
      return await client.send(commandOf(action));
    } catch (error) {
      assert.ok(error instanceof Error);
      // why: the SDK also keeps unreadable text
      const { $response, ...told } = error as Error & { $response?: { body?: unknown } };
      return { name: error.name, message: error.message, told, body: $response?.body };
    }
  };
}

function commandOf(action: string): ec2.DescribeVpcsCommand {
  // why: a command's class is named by its action, and one that only reads takes no input
  const Command = (ec2 as unknown as Record<string, new (input: object) => ec2.DescribeVpcsCommand>)[
    `${action}Command`
  ];
  assert.ok(Command, `the SDK has no ${action}`);
  return new Command({ Filters: [] });
}
