import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { internetPartsOf } from '../../../providers/aws/internet/parts.ts';
import { markTags } from '../../../providers/aws/marks.ts';
import { tagList } from '../../../providers/aws/tags.ts';

const equal = markTags({ estate: 'acme', store: 's1' });
const addressed = (name: string) => markTags({ estate: 'acme', store: 's1', address: `aws/1/r/network/${name}` });
const part = (name: string) => ({ ...addressed(name), 'setpoint:part': 'internet-gateway' });

interface Case {
  readonly name: string;
  readonly vpc: Readonly<Record<string, string>>;
  readonly gateway: Readonly<Record<string, string>>;
  readonly attached: boolean;
  readonly want: { readonly internet: boolean | 'partial'; readonly parts: number; readonly missing: number };
}

const cases: readonly Case[] = [
  {
    name: 'a loose gateway with the marks of adopted objects is no part of an adopted network: it may be of another',
    ...{ vpc: equal, gateway: equal, attached: false },
    want: { internet: false, parts: 0, missing: 0 },
  },
  {
    name: 'a loose gateway that was made for another network is no part of an adopted one',
    ...{ vpc: equal, gateway: part('core'), attached: false },
    want: { internet: false, parts: 0, missing: 0 },
  },
  {
    name: 'a loose gateway that was made for this network is its part, and the rest is missing',
    ...{ vpc: addressed('core'), gateway: part('core'), attached: false },
    want: { internet: 'partial', parts: 1, missing: 3 },
  },
  {
    name: 'the gateway of an adopted network without a route is as people left it: nothing is missing',
    ...{ vpc: equal, gateway: equal, attached: true },
    want: { internet: false, parts: 1, missing: 0 },
  },
];

describe('the parts of a network', () => {
  for (const { name, vpc, gateway, attached, want } of cases)
    test(name, () => {
      const Attachments = attached ? [{ VpcId: 'vpc-1', State: 'attached' as const }] : [];
      const { internet, parts, missing } = internetPartsOf(
        { VpcId: 'vpc-1', Tags: tagList(vpc) },
        [{ InternetGatewayId: 'igw-1', Attachments, Tags: tagList(gateway) }],
        [],
      );
      assert.deepEqual({ internet, parts: parts.length, missing: missing.length }, want);
    });
});
