import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACTIONS } from '../../../sandbox/ec2/actions/index.ts';
import type { Fields, Shape } from '../../../sandbox/ec2/query.ts';
import { bench } from '../bench.ts';
import { ID, smallEstate } from './estates.ts';

const SIGNED = { authorization: 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-west-1/ec2/aws4_request' };

interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function raw(url: string, params: Readonly<Record<string, string>>): Promise<Raw> {
  const body = new URLSearchParams({ Version: '2016-11-15', ...params });
  const response = await fetch(url, { method: 'POST', headers: SIGNED, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const refusals: readonly {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly want: string;
}[] = [
  { name: 'an action that nobody knows', params: { Action: 'MakeCoffee' }, want: 'InvalidAction' },
  { name: 'an unknown parameter', params: { Action: 'DescribeVpcs', Colour: 'red' }, want: 'UnknownParameter' },
  {
    name: 'an unknown part of a parameter',
    params: { Action: 'DescribeVpcs', 'Filter.1.Colour': 'red' },
    want: 'UnknownParameter',
  },
  { name: 'a list that is none', params: { Action: 'DescribeVpcs', VpcId: 'vpc-00000001' }, want: 'UnknownParameter' },
  {
    name: 'a list that counts in words',
    params: { Action: 'DescribeVpcs', 'VpcId.one': 'x' },
    want: 'UnknownParameter',
  },
  { name: 'a page of many', params: { Action: 'DescribeVpcs', MaxResults: 'many' }, want: 'InvalidParameterValue' },
  { name: 'a flag that is none', params: { Action: 'DescribeVpcs', DryRun: 'perhaps' }, want: 'InvalidParameterValue' },
  { name: 'another version', params: { Action: 'DescribeVpcs', Version: '2010-01-01' }, want: 'InvalidParameterValue' },
  {
    name: 'a dry run of what has none',
    params: { Action: 'ModifyVpcAttribute', DryRun: 'true' },
    want: 'UnknownParameter',
  },
];

describe('the wire', () => {
  for (const { name, params, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      const { status, text } = await raw(made.sandbox.url, params);
      assert.equal(status, 400);
      assert.match(text, new RegExp(`<Code>${want}</Code>`));
    });
  }

  it('says the request id in the header and in the body, and the real date', async () => {
    await using made = await bench();
    for (const Action of ['DescribeVpcs', 'MakeCoffee']) {
      const { headers, text } = await raw(made.sandbox.url, { Action });
      const id = headers.get('x-amzn-requestid');
      assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.match(text, new RegExp(`<request(?:Id|ID)>${id}</request(?:Id|ID)>`, 'i'));
      assert.ok(Math.abs(Date.parse(String(headers.get('date'))) - Date.now()) < 60_000);
    }
  });

  it('carries any text there and back', async () => {
    await using made = await bench({ estate: smallEstate() });
    const Value = `<b>&amp; "x" 'y' 中文 🙂 a+b %20 \\ end`;
    await made.ec2.send(new aws.CreateTagsCommand({ Resources: [ID.vpc], Tags: [{ Key: 'v', Value }] }));
    const { Vpcs } = await made.ec2.send(
      new aws.DescribeVpcsCommand({ Filters: [{ Name: 'tag:v', Values: [`<b>*`] }] }),
    );
    assert.equal(Vpcs?.[0]?.Tags?.find(({ Key }) => Key === 'v')?.Value, Value);
  });

  it('takes any number of parameters in any order', async () => {
    await using made = await bench({ estate: smallEstate() });
    const params = {
      'Filter.2.Value.1': 'false',
      'Filter.2.Name': 'is-default',
      'VpcId.10': ID.vpc,
      'VpcId.2': ID.otherVpc,
    };
    const { status, text } = await raw(made.sandbox.url, { Action: 'DescribeVpcs', ...params });
    assert.equal(status, 200);
    assert.deepEqual(
      [...text.matchAll(/<vpcId>([^<]+)/g)].map((match) => match[1]),
      [ID.otherVpc, ID.vpc],
    );
  });
});

/** The SDK's own schemas are lists: kind, namespace, name, traits, names of members, members. */
type Described = readonly unknown[];
const KIND = { list: 1, structure: 3 } as const;

function sdkMember(structure: Described, wireName: string): unknown {
  const names = structure[4] as readonly string[]; // why: the fifth part of a structure's schema
  const members = structure[5] as readonly unknown[]; // why: the sixth
  const index = names.findIndex((name, i) => wireNameOf(name, members[i]) === wireName);
  return index < 0 ? undefined : members[index];
}

function wireNameOf(name: string, member: unknown): string {
  const traits = Array.isArray(member) && typeof member[1] === 'object' ? (member[1] as Record<string, string>) : {}; // why: a pair of schema and traits
  const xml = traits['xmlName'] ?? name;
  return traits['ec2QueryName'] ?? `${xml.charAt(0).toUpperCase()}${xml.slice(1)}`;
}

function resolved(member: unknown): unknown {
  const [schema] = Array.isArray(member) && typeof member[0] === 'function' ? member : [member];
  return typeof schema === 'function' ? schema() : schema;
}

function problems(path: string, shape: Shape, member: unknown): readonly string[] {
  if (member === undefined) return [`${path} is not in the SDK`];
  const schema = resolved(member);
  if (shape.kind === 'list') {
    if (Array.isArray(schema) && schema[0] === KIND.list) return problems(`${path}[]`, shape.of, schema[4]);
    return Array.isArray(schema) || (typeof schema === 'number' && schema >= 64)
      ? []
      : [`${path} is no list in the SDK`];
  }
  if (shape.kind !== 'record')
    return Array.isArray(schema) && schema[0] === KIND.structure ? [`${path} is a structure in the SDK`] : [];
  if (!Array.isArray(schema) || schema[0] !== KIND.structure) return [`${path} is no structure in the SDK`];
  return fieldProblems(path, shape.fields, schema);
}

function fieldProblems(path: string, fields: Fields, schema: Described): readonly string[] {
  return Object.entries(fields).flatMap(([name, shape]) => problems(`${path}.${name}`, shape, sdkMember(schema, name)));
}

describe('the names of parameters', () => {
  const schemas: Readonly<Record<string, unknown>> = { ...aws };
  for (const action of ACTIONS.values()) {
    it(`of ${action.name} are those of the SDK`, () => {
      const schema = schemas[`${action.name}Request$`];
      assert.ok(Array.isArray(schema), 'the SDK knows the action');
      assert.deepEqual(fieldProblems(action.name, action.fields, schema), []);
    });
  }
});
