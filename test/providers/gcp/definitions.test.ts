import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { type Definition, definitions, services } from '../../../providers/gcp/definitions.ts';
import { rootOf } from '../../../providers/gcp/root.ts';
import { prepareSdk, sdk } from '../../../providers/gcp/sdk.ts';

const all: Definition = createRequire(import.meta.url)('@google-cloud/compute/build/protos/protos.json');

const typesIn = (whole: Definition): Readonly<Record<string, Definition>> =>
  ['google', 'cloud', 'compute', 'v1'].reduce((outer, name) => outer.nested?.[name] ?? {}, whole).nested ?? {};

test('every service that has a client is among the definitions, and no other', async () => {
  await prepareSdk();
  const clients = Object.values(sdk).map((make) => make().constructor.name.replace(/Client$/, ''));
  assert.deepEqual(clients.sort(), [...services].sort());
  for (const make of Object.values(sdk)) await make().initialize();
});

test('each definition is as the SDK has it, and few of them are', () => {
  const theirs = typesIn(all);
  const ours = Object.entries(typesIn(definitions));
  for (const [name, definition] of ours) assert.ok(definition === theirs[name], name);
  assert.ok(ours.length > 300 && ours.length < Object.keys(theirs).length / 4.5, `${ours.length} definitions`);
  assert.ok(JSON.stringify(definitions).length < 500_000);
});

test('types are made in turns as at once, and none that they name is missing', async () => {
  const inTurns = await rootOf();
  const { Root } = await rootModule();
  assert.ok(JSON.stringify(inTurns.toJSON()) === JSON.stringify(Root.fromJSON(definitions).toJSON()));
  const instance = inTurns.lookupType('google.cloud.compute.v1.Instance');
  assert.ok(instance.fieldsArray.every(({ resolved }) => resolved));
  const networks = typesIn(definitions)['Networks'] ?? {};
  await assert.rejects(rootOf({ nested: { Networks: networks } }), /no such/);
});

/** The class of the root itself: a test may not import its package. */
async function rootModule(): Promise<{ readonly Root: { fromJSON(json: object): { toJSON(): object } } }> {
  const root = await rootOf({});
  return { Root: root.constructor as unknown as { fromJSON(json: object): { toJSON(): object } } }; // why: it is that class
}
