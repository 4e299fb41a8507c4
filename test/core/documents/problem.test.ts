import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggest } from '../../../src/core/documents/problem.ts';

const cases: readonly { name: string; given: string; among: readonly string[]; want: string | undefined }[] = [
  { name: 'a letter too many', given: 'cidrr', among: ['name', 'cidr'], want: 'cidr' },
  { name: 'a letter missing', given: 'tagets', among: ['targets', 'rules'], want: 'targets' },
  { name: 'two neighbours swapped, in a short word', given: 'cdir', among: ['name', 'cidr'], want: 'cidr' },
  { name: 'a wrong letter', given: 'tcq', among: ['tcp', 'udp'], want: 'tcp' },
  { name: 'a wrong first letter', given: 'umage', among: ['image'], want: 'image' },
  { name: 'another case', given: 'PublicIP', among: ['publicIp'], want: 'publicIp' },
  { name: 'only the case of a very short name', given: 'A', among: ['a', 'b'], want: 'a' },
  { name: 'the nearest of several', given: 'subnt', among: ['subnets', 'subnet'], want: 'subnet' },
  { name: 'the first of equally near ones', given: 'web-3', among: ['web-1', 'web-2'], want: 'web-1' },
  { name: 'nothing for a short word that is all wrong', given: 'ab', among: ['cd', 'abc'], want: undefined },
  { name: 'nothing that takes three edits', given: 'descript', among: ['description'], want: undefined },
  { name: 'nothing that takes two edits and a swap', given: 'tragxtz', among: ['targets'], want: undefined },
  { name: 'an edit and a swap', given: 'tragxts', among: ['targets'], want: 'targets' },
  { name: 'nothing far away', given: 'network', among: ['size', 'image'], want: undefined },
  { name: 'nothing among nothing', given: 'x', among: [], want: undefined },
  { name: 'nothing for a very long word', given: 'x'.repeat(60), among: ['x'.repeat(60)], want: undefined },
];

for (const { name, given, among, want } of cases) {
  test(`suggest: ${name}`, () => assert.equal(suggest(given, among), want));
}
