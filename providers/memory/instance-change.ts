import type { FieldChange } from '../../src/core/diff.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Call, Revision } from '../../src/ports/provider.ts';
import { done } from './batch.ts';
import type { Client } from './client.ts';
import { waitFor } from './instance-wait.ts';

/** Brings one machine to what is wanted of it, apart from tags. May be repeated after any failure: each step looks where it stands. */
export async function changeMachine(client: Client, call: Call, revision: Revision<'instance'>): Promise<Result<void>> {
  const touched = new Set(revision.changes.map(({ field }) => step(field)));
  for (const name of STEPS) {
    if (!touched.has(name)) continue;
    const result = await steps[name](client, call, revision);
    if (!result.ok) return result;
  }
  return done;
}

type Step = 'groups' | 'identity' | 'disk' | 'size' | 'power';

/** `size` last but one: it leaves the machine as `power` wants it. */
const STEPS = ['groups', 'identity', 'disk', 'size', 'power'] as const satisfies readonly Step[];

const step = (field: FieldChange['field']): string | undefined => field.replace(/^machine\./, '').split('.')[0];

const steps: Readonly<
  Record<Step, (client: Client, call: Call, revision: Revision<'instance'>) => Promise<Result<void>>>
> = {
  groups: (client, call, { observed: { id }, desired }) =>
    client.send(call, 'SetInstanceGroups', { id, groups: desired.attributes.groups ?? [] }),
  identity: (client, call, { observed: { id }, desired }) => {
    const { identity } = desired.attributes.machine;
    return client.send(call, 'SetIdentity', { id, ...(identity !== undefined && { identity }) });
  },
  disk: (client, call, { observed: { id }, desired, changes }) => {
    const has = (field: string): boolean => changes.some((each) => each.field === field);
    const { disk = {} } = desired.attributes;
    const size = has('disk.size') ? disk.size : undefined;
    const type = has('disk.type') ? disk.type : undefined;
    return client.send(call, 'ModifyDisk', {
      id,
      ...(size !== undefined && { size }),
      ...(type !== undefined && { type }),
    });
  },
  size: resize,
  power: (client, call, { observed: { id }, desired }) =>
    desired.attributes.machine.power === 'stopped'
      ? client.send(call, 'StopInstances', { ids: [id] })
      : client.send(call, 'StartInstances', { ids: [id] }),
};

/** A machine changes its size standing still: stopped, changed, and started where it shall run. */
async function resize(
  client: Client,
  call: Call,
  { observed, desired, changes }: Revision<'instance'>,
): Promise<Result<void>> {
  const { id } = observed;
  const { size } = desired.attributes.machine;
  const isMoved = changes.some(({ field }) => field === 'machine.power');
  const { power } = (isMoved ? desired : observed).attributes.machine;
  const stopping = await client.send(call, 'StopInstances', { ids: [id] });
  if (!stopping.ok) return stopping;
  const stopped = await waitFor(client, call, { ids: [id], state: 'stopped' });
  if (!stopped.ok) return stopped;
  const resized = await client.send(call, 'ResizeInstance', { id, size });
  if (!resized.ok || power === 'stopped') return resized;
  return client.send(call, 'StartInstances', { ids: [id] });
}
