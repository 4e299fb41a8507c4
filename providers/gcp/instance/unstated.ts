import { createHash } from 'node:crypto';
import { canonical } from '../../../src/core/ledger/canonical.ts';
import type { Setting } from '../../../src/core/observed.ts';
import type { Labels } from '../../../src/core/resource.ts';
import { lastOf } from '../links.ts';
import type { Instance } from '../messages.ts';
import { accountScopes } from '../spelling.ts';
import { metadataKeys, readMetadata } from './metadata-keys.ts';

/**
 * Settings of a machine that no spec states and that open it to others, as `instances.aggregatedList` has them.
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances
 *
 *   setting            | told where
 *   -------------------+---------------------------------------------------------------------------------------------
 *   further interfaces | there is one besides the first
 *   canIpForward       | it is on
 *   scopes             | there are some besides the one that Setpoint gives, which is all of Google Cloud: IAM narrows it
 *   ssh-keys           | they hash to something else than those that Setpoint sent
 *   startup-script,    | it hashes to something else than the user data that Setpoint sent
 *   user-data          |
 *
 * Keys and scripts are hashed and never told. Without our own hashes (adopted machines) nothing is compared.
 */
export function unstatedOf(instance: Instance): readonly Setting[] {
  const metadata = readMetadata(instance.metadata);
  return [
    ...interfacesOf(instance),
    ...(instance.canIpForward ? [{ field: 'canIpForward', detail: 'may forward packets of others' }] : []),
    ...scopesOf(instance),
    ...keysOf(metadata),
    ...scriptsOf(metadata),
  ];
}

const interfacesOf = ({ networkInterfaces }: Instance): readonly Setting[] =>
  (networkInterfaces ?? []).slice(1).map(({ name, subnetwork }, index) => {
    const called = name ?? `nic${index + 1}`;
    return {
      field: `interface ${called}`,
      detail: `has the further network interface ${called} in ${lastOf(subnetwork ?? '')}`,
    };
  });

function scopesOf({ serviceAccounts }: Instance): readonly Setting[] {
  const scopes = (serviceAccounts ?? []).flatMap(({ scopes }) => scopes ?? []);
  const further = scopes.filter((scope) => !accountScopes.includes(scope));
  if (further.length === 0 || further.length === scopes.length) return [];
  return [{ field: 'scopes', detail: `has the further scopes ${further.map(lastOf).toSorted().join(', ')}` }];
}

function keysOf(metadata: Labels): readonly Setting[] {
  const sent = metadata[metadataKeys.access];
  const text = metadata['ssh-keys'];
  if (!isComparable(sent) || text === undefined || text === '') return [];
  if (sent !== '' && hashOfKeys(text) === sent) return [];
  return [{ field: 'ssh-keys', detail: 'has other ssh-keys in its metadata than at its creation' }];
}

/** As `access` of a spec is hashed: one user with the keys in their order. Undefined: the keys are of several users. */
function hashOfKeys(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => ({ user: line.slice(0, line.indexOf(':')), key: line.slice(line.indexOf(':') + 1) }));
  const [first] = lines;
  if (first === undefined || lines.some(({ user }) => user !== first.user)) return undefined;
  return sha256(canonical({ user: first.user, sshKeys: lines.map(({ key }) => key) }));
}

function scriptsOf(metadata: Labels): readonly Setting[] {
  const sent = metadata[metadataKeys.userData];
  if (!isComparable(sent)) return [];
  return ['startup-script', 'user-data'].flatMap((key) => {
    const text = metadata[key];
    if (text === undefined || text === '' || sha256(text) === sent) return [];
    return [{ field: key, detail: `has a ${key} in its metadata that differs from its original user data` }];
  });
}

/** '' says that it was made with none. */
const isComparable = (hash: string | undefined): hash is string =>
  hash !== undefined && /^(?:[0-9a-f]{64})?$/.test(hash);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
