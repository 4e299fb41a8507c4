import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Actuator, Call, Creation, Revision } from '../../src/ports/provider.ts';
import { done, gone, sendGrouped, singly } from './batch.ts';
import type { Client } from './client.ts';
import type { InstanceState } from './cloud/calls/instance-state.ts';
import type { InstanceView } from './cloud/calls/instances.ts';
import { changeMachine } from './instance-change.ts';
import { launchAll } from './instance-launch.ts';
import { waitFor } from './instance-wait.ts';
import { type Retag, retag, retagFor } from './labels.ts';
import { pages } from './listings.ts';
import { machineTags, markOf } from './marks.ts';
import { atOnce } from './rate-limits.ts';
import { readBy } from './reading.ts';
import { bootOf, labelsOf, originOf } from './tags.ts';

/** Machines. A launch has a token: sent again it answers the machines of the first time. */
export const instanceActuator = (client: Client): Actuator<'instance'> => ({
  list: async function* (call) {
    for await (const page of pages(client, call, 'ListInstances')) yield page.map(observe);
  },
  read: readBy(client, 'ListInstances', async () => ({ ok: true, value: observe })),
  create: (batch, call) => create(client, call, batch),
  update: async (batch, call) => {
    const tagged = await retag(client, call, batch.map(retagOf));
    const changed = await singly(batch, (revision) => changeMachine(client, call, revision));
    return changed.map((result, index) => (result.ok ? (tagged[index] ?? result) : result));
  },
  delete: async (batch, call) =>
    (
      await sendGrouped(batch, {
        key: () => '',
        size: atOnce.terminated,
        send: async (removals) => {
          const answer = await client.send(call, 'TerminateInstances', { ids: removals.map(({ id }) => id) });
          return answer.ok ? { ok: true, value: removals.map(() => undefined) } : answer;
        },
      })
    ).map(gone),
});

async function create(
  client: Client,
  call: Call,
  batch: readonly Creation<'instance'>[],
): Promise<readonly Result<Observed<'instance'>>[]> {
  const launched = await launchAll(client, call, batch);
  const still = launched.flatMap((result, index) =>
    result.ok && result.value.power.sent === 'run' && batch[index]?.desired.attributes.machine.power === 'stopped'
      ? [result.value.id]
      : [],
  );
  const stopped = still.length > 0 ? await stop(client, call, still) : done;
  return launched.map((result) => {
    if (!result.ok) return result;
    const sent = stopped.ok && still.includes(result.value.id) ? 'stop' : result.value.power.sent;
    return { ok: true, value: observe({ ...result.value, power: { ...result.value.power, sent } }) };
  });
}

/** This cloud launches running machines only. One that could not be stopped stands all the same, and an update stops it. */
async function stop(client: Client, call: Call, ids: readonly string[]): Promise<Result<void>> {
  const running = await waitFor(client, call, { ids, state: 'running' });
  return running.ok ? client.send(call, 'StopInstances', { ids }) : running;
}

const condition: Readonly<Record<InstanceState, Observed['condition']['state']>> = {
  pending: 'pending',
  running: 'ready',
  stopping: 'pending',
  stopped: 'ready',
  'shutting-down': 'deleting',
  terminated: 'gone',
  forgotten: 'gone',
};

function observe({ id, tags, launch, place, groups, hardware, power, state }: InstanceView): Observed<'instance'> {
  const mark = markOf(tags, launch.index);
  const origin = originOf(tags);
  const boot = bootOf(tags);
  const { image, size, identity, disk } = hardware;
  return {
    kind: 'instance',
    id,
    name: tags['Name'] ?? '',
    attributes: {
      placement: { subnet: place.subnet, zone: place.zone, publicIp: place.publicIp },
      groups: groups.toSorted(),
      machine: {
        image,
        size,
        ...(identity !== undefined && { identity }),
        power: power.sent === 'stop' ? 'stopped' : 'running',
      },
      disk,
      ...(boot && { boot }),
      labels: labelsOf(tags),
    },
    signs: { ...(mark && { mark }), ...(origin && { origin }) },
    condition: { state: condition[state], ephemeral: hasLocalDisk(size) },
  };
}

/** Sizes of this cloud that end so have a disk on their host, which a stop empties. */
const hasLocalDisk = (size: string): boolean => size.endsWith('.local');

const retagOf = ({ observed, changes, mark }: Revision<'instance'>): Retag =>
  retagFor(observed.id, changes, mark && machineTags(mark));
