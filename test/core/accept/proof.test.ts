import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { movedAddresses, objectionsTo } from '../../../src/core/accept/proof.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { estateOf } from '../../../src/core/documents/spec-set.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import { withoutStore } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { PlanInput, Wanted } from '../../../src/core/plan/plan-input.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

const text = (size: string, more = ''): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: one }
spec: { provider: aws, account: "111122223333", region: eu-west-1 }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [one], cidr: 10.0.0.0/16, allGroup: false, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: web }
spec: { targets: [one], network: core, subnet: app, image: ami-0abc, size: ${size}, replicas: 2${more} }
`;

function wantedBy(specs: string): Wanted {
  const { documents } = parseSpecs([{ path: 'all.yaml', text: specs }], '2026-11-24');
  const estate = estateOf(documents);
  assert.ok(estate);
  const hashes = { userData: () => '', access: () => '' };
  const input = { estate: estate.value, documents, dialects: { aws }, hashes, today: '2026-11-24' };
  const [scope] = compile(input).scopes;
  assert.ok(scope);
  return scope.wanted;
}

const prefix = 'aws/111122223333/eu-west-1';
const [first, second] = [`${prefix}/instance/web-0`, `${prefix}/instance/web-1`];

/** Both machines have size `a` in their documents; the sizes on the cloud are given, '' for one that nobody saw. */
function before(sizes: readonly string[], changes: Partial<PlanInput['observation']> = {}): PlanInput {
  const wanted = wantedBy(text('a'));
  const resources = wanted.desired.flatMap((one): readonly Observed[] => {
    const { kind, address, name, attributes } = one;
    const size = sizes[[first, second].indexOf(address)];
    if (kind === 'firewall-rule' || size === '') return [];
    const there = 'machine' in attributes ? { ...attributes, machine: { ...attributes.machine, size } } : attributes;
    // why: the attributes are of this kind
    return [{ kind, id: address, name, attributes: there, signs: {}, condition: { state: 'ready' } } as Observed];
  });
  const settled = new Map(
    resources.map(({ id, kind }) => [
      id,
      { address: id, kind, lastWriteAt: 0, seenAt: 0, terms: { protect: false, deletionPolicy: 'retain' } },
    ]),
  );
  const applied = new Map(wanted.desired.map(({ address, attributes }) => [address, { attributes }]));
  // why: a test states the facts that matter here
  const knowledge = { ...withoutStore('acme'), store: 's', settled, applied } as unknown as Knowledge;
  const observation = { scope: prefix, at: 1_000_000, resources, gaps: [], pending: [], calls: 1, ...changes };
  return { wanted, observation, knowledge, dialect: aws };
}

describe('objections to edited documents', () => {
  const accepted = new Map([[first, ['machine.size']]]);
  const objections = (input: PlanInput, after: string) =>
    objectionsTo({ before: input, after: wantedBy(after), accepted }).map(
      ({ address, field, reason }) => `${address.slice(prefix.length + 1)} ${field ?? '-'} ${reason}`,
    );

  test('both machines have what the documents state now: none', () => {
    assert.deepEqual(objections(before(['b', 'b']), text('b')), []);
  });

  test('the other machine has another value', () => {
    // why: the drift of web-1 is withheld, as it stops the machine; by a new value in the document it would be a rollout
    for (const size of ['a', 'c'])
      assert.deepEqual(objections(before(['b', size]), text('b')), [
        `instance/web-1 machine.size the edited line states it too, and the cloud has "${size}" there`,
      ]);
  });

  test('the edit does not reach the field', () => {
    assert.deepEqual(objections(before(['b', 'b']), text('a')), [
      'instance/web-0 machine.size another line still states "a"',
    ]);
  });

  test('machines that were not listed, or that one listing missed', () => {
    const gaps = [{ kind: 'instance', code: 'denied', reason: 'no permission' }] as const;
    assert.match(
      objections(before(['b', ''], { gaps }), text('b')).join(),
      /web-1 - instance was not listed completely/,
    );
    const unseen = objections(before(['b', ''], { pending: [] }), text('b'));
    assert.deepEqual(unseen, []);
    const input = before(['b', '']);
    const pending = [{ intent: 'i', verb: 'create', address: second, kind: 'instance' }];
    // why: only these facts of an intent count for a plan
    const knowledge = { ...input.knowledge, pending } as unknown as Knowledge;
    assert.match(objections({ ...input, knowledge }, text('b')).join(), /web-1 - .*was not seen on the cloud/);
  });

  test('a machine more, and a machine less', () => {
    assert.match(
      objections(before(['b', 'b']), text('b').replace('replicas: 2', 'replicas: 3')).join(),
      /web-2 - the edited documents would make it/,
    );
    assert.match(
      objections(before(['b', 'b']), text('b').replace('replicas: 2', 'replicas: 1')).join(),
      /web-1 - it stands on the cloud/,
    );
  });

  test('the addresses that the edit moves', () => {
    assert.deepEqual(movedAddresses(wantedBy(text('a')), wantedBy(text('b'))), [first, second]);
    assert.deepEqual(movedAddresses(wantedBy(text('a')), wantedBy(`# more\n${text('a')}`)), []);
  });
});
