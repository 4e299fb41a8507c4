import { basename, resolve } from 'node:path';
import type { Problem } from '../../core/documents/problem.ts';
import { slug } from '../../core/import/names.ts';
import type { Cloud } from '../../core/resource.ts';
import { openSession } from '../../engine/session.ts';
import type { WrittenSpec } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { problemText } from '../output/problems.ts';
import { callOf } from './doctor.ts';

/** The clouds that an estate can begin on. */
export const initClouds = ['aws', 'gcp', 'azure'] as const satisfies readonly Cloud[];
export type InitCloud = (typeof initClouds)[number];

/** The fields of a Target that name its place. */
export type PlaceField = 'region' | 'zone' | 'resourceGroup' | 'account';

/** An estate with one target. */
export interface NewEstate {
  readonly name: string;
  readonly target: NewTarget;
}

interface NewTarget extends Readonly<Partial<Record<PlaceField, string>>> {
  readonly name: string;
  readonly cloud: InitCloud;
  readonly endpoint?: string;
}

/** The needed fields of each cloud, in the order of the questions. The region is first: AWS reports the account by region. */
export const neededFields: Readonly<Record<InitCloud, readonly PlaceField[]>> = {
  aws: ['region', 'account'],
  gcp: ['account', 'region', 'zone'],
  azure: ['account', 'region', 'resourceGroup'],
};

/** Places of the example estate, whose accounts the sandbox has. */
const sandboxPlaces: Readonly<Record<InitCloud, Readonly<Partial<Record<PlaceField, string>>>>> = {
  aws: { account: '111122223333', region: 'eu-west-1' },
  gcp: { account: 'acme-prod', region: 'europe-west1', zone: 'europe-west1-b' },
  azure: { account: '11112222-3333-4444-8555-666677778888', region: 'westeurope', resourceGroup: 'acme-prod' },
};

/** Variables that the clouds' own tools read. */
const variables: Readonly<Record<InitCloud, Readonly<Partial<Record<PlaceField, readonly string[]>>>>> = {
  aws: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'] },
  gcp: { account: ['GOOGLE_CLOUD_PROJECT'] },
  azure: { account: ['AZURE_SUBSCRIPTION_ID'] },
};

interface Known {
  readonly cloud: InitCloud;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
}

/** The value of a field by the sandbox, the environment or the credentials at hand. Undefined where only a guess is left. */
export async function defaultOf(field: PlaceField, known: Known, context: Context): Promise<string | undefined> {
  const { cloud, region, endpoint } = known;
  if (endpoint !== undefined) return sandboxPlaces[cloud][field];
  const variable = variables[cloud][field]?.find((name) => process.env[name]);
  if (variable !== undefined) return process.env[variable];
  return cloud === 'aws' && field === 'account' && region !== undefined ? awsAccount(region, context) : undefined;
}

/** The account of the credentials, by STS. Undefined where AWS does not report it; `doctor` prints the reason. */
async function awsAccount(region: string, context: Context): Promise<string | undefined> {
  const { clock, signal, dependencies } = context;
  const provider = await dependencies.provider('aws');
  const access = { scope: `aws/unknown/${region}`, account: '', region, endpoint: undefined };
  const session = await openSession(
    { provider, access, given: undefined },
    { secrets: dependencies.secrets, clock, signal },
  );
  try {
    const account = await session.identify(callOf('init', context));
    return account.ok && account.value !== '' ? account.value : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    await session.close();
  }
}

/** The folder's name as the name of an estate. `specs` has the name of the folder around it. */
export function nameFrom(dir: string): string {
  const folder = resolve(dir);
  return asName(basename(folder) === 'specs' ? basename(resolve(folder, '..')) : basename(folder));
}

/** The nearest valid name of a document. */
export const asName = (text: string): string => slug(text) || 'acme';

const head = { apiVersion: 'setpoint.dev/v1' } as const;

export const targetSpec = ({ name, cloud, endpoint, ...place }: NewTarget): WrittenSpec => ({
  comments: [
    'A place on a cloud. In mode observe Setpoint reads it and writes nothing to it.',
    'To allow `setpoint apply`, change the mode to plan. To let workers write by themselves, change both modes to enforce.',
  ],
  value: {
    ...head,
    kind: 'Target',
    metadata: { name },
    spec: {
      provider: cloud,
      account: place.account,
      region: place.region,
      ...(place.zone === undefined ? {} : { zone: place.zone }),
      ...(place.resourceGroup === undefined ? {} : { resourceGroup: place.resourceGroup }),
      ...(endpoint === undefined ? {} : { endpoint }),
      mode: 'observe',
    },
  },
});

const estateSpec = (name: string): WrittenSpec => ({
  comments: ['The estate: this folder, and all resources that it owns on the clouds.'],
  value: { ...head, kind: 'Estate', metadata: { name }, spec: { mode: 'plan' } },
});

/** The name of the file in the folder of specs. */
export const estateFile = 'estate.yaml';

/** The text of the file. Throws with the problems of `validate` where a field is wrong. */
export function estateText(estate: NewEstate, dir: string, { dependencies }: Context): string {
  const text = dependencies.formatSpecs([estateSpec(estate.name), targetSpec(estate.target)]);
  const { problems } = dependencies.parseStoredSpecs({ specs: [{ path: estateFile, text }], userData: [] }, 'init');
  if (problems.length === 0) return text;
  const flags = new Set(problems.map(({ at }) => flagOf(at, text)));
  throw new UserError('The estate would be invalid, so no file is written.', {
    where: `\n${problemText(problems, dir, (_, part) => part).trimEnd()}`,
    next: `Correct ${[...flags].join(' and ')}.`,
  });
}

/** The flag that gave the field on a line. */
function flagOf({ line }: Problem['at'], text: string): string {
  const lines = text.split('\n');
  const field = /^\s*(\w+):/.exec(lines[line - 1] ?? '')?.[1] ?? '';
  if (field === 'metadata') return line <= lines.indexOf('---') ? '--name' : '--target';
  return flags[field] ?? `the field ${field}`;
}

const flags: Readonly<Record<string, string>> = {
  provider: '--cloud',
  account: '--account',
  region: '--region',
  zone: '--zone',
  resourceGroup: '--resource-group',
  endpoint: '--sandbox',
};
