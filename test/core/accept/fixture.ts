import assert from 'node:assert/strict';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { type Acceptance, type AcceptInput, acceptDrift } from '../../../src/core/accept/accept.ts';
import type { Action } from '../../../src/core/action.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { siteOf } from '../../../src/core/compile/site.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { diff } from '../../../src/core/diff.ts';
import { estateOf, ofKind } from '../../../src/core/documents/spec-set.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { aboutOf } from '../../../src/core/plan/findings.ts';
import type { Address } from '../../../src/core/resource.ts';
import { editSpecFile } from '../../../src/source/edit-specs.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/** Documents before the last one, which each test gives: targets and networks of three clouds. */
const head = `apiVersion: setpoint.dev/v1
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
kind: Target
metadata: { name: two }
spec: { provider: aws, account: "111122223333", region: us-east-1 }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: google }
spec: { provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: google-east }
spec: { provider: gcp, account: acme-prod, region: us-east1, zone: us-east1-b }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: azure }
spec: { provider: azure, account: 11112222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: acme }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [one, two], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }, { name: db, cidr: 10.0.2.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: edge }
spec: { targets: [google, google-east], cidr: 10.1.0.0/16, subnets: [{ name: app, cidr: 10.1.1.0/24, target: google }], groups: [{ name: front, adopt: { google: http-server, google-east: http-server } }] }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: lab }
spec: { targets: [azure], cidr: 10.2.0.0/16, subnets: [{ name: app, cidr: 10.2.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Group
metadata: { name: batch }
spec: { network: edge, names: { google: batch@acme-prod.iam.gserviceaccount.com, google-east: batch@acme-prod.iam.gserviceaccount.com } }
---
apiVersion: setpoint.dev/v1
`;

export interface Change {
  readonly address: Address;
  /** Values on the cloud, by dotted fields; undefined: none. */
  readonly has: Readonly<Record<string, unknown>>;
}

/** The last document of the specs, applied; then the cloud changed. `gone`: rules that are not there any more. */
export function accepting(
  document: string,
  changes: readonly Change[],
  more: { gone?: readonly Address[]; named?: readonly Address[]; overlay?: string } = {},
) {
  const text = head + document;
  const file = { path: 'all.yaml', text };
  const overlay = { path: 'overlays/prod/all.yaml', text: more.overlay ?? '' };
  const { documents, problems } = parseSpecs([file, overlay], '2026-11-24');
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error'),
    [],
  );
  const estate = estateOf(documents);
  assert.ok(estate);
  const dialects = { aws, gcp, azure };
  const hashes = { userData: () => 'h1', access: () => 'h2' };
  const compiled = compile({ estate: estate.value, documents, dialects, hashes, today: '2026-11-24' });
  const desired = compiled.scopes.flatMap(({ wanted }) => wanted.desired);
  const at = (address: Address): Desired => {
    const found = desired.find((one) => one.address === address || one.address.startsWith(`${address}-`));
    assert.ok(found, `${address} of ${desired.map((one) => one.address).join(', ')}`);
    return found;
  };
  const gone = new Set(more.gone);
  const input: AcceptInput = {
    documents,
    desired,
    sites: ofKind(documents, 'Target').map((target) =>
      siteOf(target, dialects[cloudOf(target.value.spec.provider)], {
        estate: estate.value,
        documents,
        today: '2026-11-24',
      }),
    ),
    compared: new Map(
      desired.flatMap((one) => {
        if (gone.has(one.address)) return [];
        const observed = seen(one, changes.find(({ address }) => at(address) === one)?.has ?? {});
        const drifted = diff(one.attributes, observed.attributes);
        return [[one.address, { desired: one, observed, changes: drifted, drifted }] as const];
      }),
    ),
    reverts: [...gone].map(
      (address): Action => ({
        ...aboutOf(at(address), 'drift'),
        verb: 'create',
        desired: at(address),
        because: 'absent',
      }),
    ),
  };
  const addresses = more.named ?? [...changes.map(({ address }) => at(address).address), ...gone];
  return { text, file, overlay, found: acceptDrift({ addresses, fields: [] }, input) };
}

const cloudOf = (provider: string): 'aws' | 'gcp' | 'azure' =>
  provider === 'gcp' || provider === 'azure' ? provider : 'aws';

function seen({ kind, name, attributes }: Desired, has: Change['has']): Observed {
  const copy = structuredClone(attributes);
  for (const [field, value] of Object.entries(has)) {
    const keys = field.split('.');
    const holder = keys.slice(0, -1).reduce<object>((here, key) => Reflect.get(here, key), copy);
    Reflect.set(holder, keys.at(-1) ?? '', value);
  }
  // why: a copy of this kind's attributes
  return { kind, id: 'id-1', name, attributes: copy, signs: {}, condition: { state: 'ready' } } as Observed;
}

/** The text after the edits, without the part that all cases share. */
export function after({
  file,
  found,
}: {
  readonly file: { path: string; text: string };
  readonly found: Acceptance;
}): string {
  assert.deepEqual(found.refused, []);
  const edited = editSpecFile(file, found.edits);
  assert.equal(edited.refused, undefined);
  return (edited.text ?? '').slice(head.length);
}
