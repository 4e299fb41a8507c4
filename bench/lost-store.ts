import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Control } from '../sandbox/control.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { Logged } from '../sandbox/request-log.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { expectCode, planned, setpoint } from './processes/setpoint.ts';

/** Targets of the example estate. */
type Place = 'aws-prod' | 'gcp-prod' | 'azure-prod';

/**
 * The example estate stands, its database is lost, and the same specs are applied again by the command line.
 * - `second-store`: requests that change something, sent by the new store before it has taken over. Asked: 0.
 * - `lost-store`: requests that make or delete something once it has, and objects that come or go. Asked: 0.
 */
export async function lostStore(
  places: readonly Place[] = ['aws-prod', 'gcp-prod', 'azure-prod'],
  spoil: Spoil = spoilNothing,
): Promise<readonly Figure[]> {
  const sandbox = await startSandbox({ clock: { rate: 60 } });
  try {
    return await inScratch((cwd) => measure({ sandbox, cwd, places, spoil }));
  } finally {
    await sandbox.close();
  }
}

interface Scene {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly places: readonly Place[];
  readonly spoil: Spoil;
}

async function measure(scene: Scene): Promise<readonly Figure[]> {
  const { sandbox, cwd } = scene;
  await writeSpecs(scene);
  await apply(scene, 0);
  await rm(join(cwd, '.setpoint'), { recursive: true });
  const second = await apply(scene, refused);
  const before = standing(sandbox.control);
  await scene.spoil(sandbox.control);
  expectCode(await run(scene, 'takeover', '--yes', '--reason', 'the database was lost'), 0, 'setpoint takeover');
  const again = await apply(scene, 0);
  await expectNothingLeft(scene);
  const after = standing(sandbox.control);
  const told = again.map(sortOf).filter((sort) => sort !== 'other').length;
  const moved = before.symmetricDifference(after).size;
  console.error(`lost-store: ${before.size} objects stand; ${again.length} requests marked them anew`);
  return [
    { name: 'second-store', value: second.length, unit: 'mutating calls', floor: 0 },
    { name: 'lost-store', value: Math.max(told, moved), unit: 'objects made or deleted', floor: 0 },
  ];
}

const refused = 3;

async function writeSpecs({ sandbox, cwd }: Scene): Promise<void> {
  const names = ['estate.yaml', 'network.yaml', 'instances.yaml', 'web.sh'];
  const read = (name: string): Promise<string> => readFile(new URL(`../specs/${name}`, import.meta.url), 'utf8');
  const files = names.map(async (path) => ({
    path,
    text: (await read(path)).replaceAll('http://127.0.0.1:4566', sandbox.url),
  }));
  await writeFiles(join(cwd, 'specs'), await Promise.all(files));
}

const run = ({ cwd, places }: Scene, verb: string, ...options: readonly string[]) =>
  setpoint([verb, '--allow-endpoint', ...places.flatMap((place) => ['--target', place]), ...options], { cwd });

/** Its mutating requests, from the sandbox's log. */
async function apply(scene: Scene, code: number): Promise<readonly Logged[]> {
  const { log } = scene.sandbox.control;
  log.clear();
  expectCode(await run(scene, 'apply', '--yes'), code, 'setpoint apply');
  return log.entries({ mutating: true });
}

async function expectNothingLeft(scene: Scene): Promise<void> {
  const { actions } = planned(expectCode(await run(scene, 'plan', '--json'), 0, 'setpoint plan'));
  if (actions.length > 0) throw new Error(`left to do: ${actions.map(({ verb, address }) => `${verb} ${address}`)}`);
}

type Sort = 'create' | 'delete' | 'other';

/**
 * The effect of a mutating request, by its name and answer. Azure creates and updates by one method, and tells them apart by 201
 * and 200. The removal of a tag deletes nothing.
 */
function sortOf({ action, status }: Logged): Sort {
  if (action === 'CreateTags' || action === 'DeleteTags') return 'other';
  if (action.endsWith('.createOrUpdate')) return status === 201 ? 'create' : 'other';
  if (creates.test(action)) return 'create';
  return deletes.test(action) ? 'delete' : 'other';
}

const creates = /^(?:Create|Run|Allocate|Authorize)|\.(?:insert|bulkInsert)$/;
const deletes = /^(?:Delete|Terminate|Release|Revoke)|\.delete$/;

interface Row {
  readonly id: string;
}

/** The accounts of the example estate: `specs/estate.yaml`. */
const aws = { account: '111122223333', region: 'eu-west-1' };
const project = 'acme-prod';
const subscription = '11112222-3333-4444-8555-666677778888';

/** Ids of all that truly stands on the three clouds. */
function standing({ ec2, compute, arm }: Control): ReadonlySet<string> {
  const region = ec2.region(aws.account, aws.region);
  const google = compute.project(project);
  const azure = arm.subscription(subscription);
  const tables: readonly { values(): Iterable<Row> }[] = [
    ...[region.vpcs, region.subnets, region.gateways, region.routeTables, region.groups, region.rules],
    ...[region.instances, region.volumes, region.interfaces],
    ...[google.networks, google.subnetworks, google.firewalls, google.routes, google.instances, google.disks],
    ...[azure.groups, azure.networks, azure.securityGroups, azure.applicationGroups],
    ...[azure.interfaces, azure.addresses, azure.machines, azure.disks],
  ];
  return new Set(tables.flatMap((table) => [...table.values()].map(({ id }) => id)));
}
