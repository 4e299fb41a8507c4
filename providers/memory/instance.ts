import type { Observed } from '../../src/core/observed.ts';
import type { Actuator, Revision } from '../../src/ports/actuator.ts';
import { gone, singly, together } from './batch.ts';
import type { Client } from './client.ts';
import type { InstanceState } from './cloud/calls/instance-state.ts';
import type { InstanceView } from './cloud/calls/instances.ts';
import { changeMachine } from './instance-change.ts';
import { launchAll } from './instance-launch.ts';
import { type Retag, retag, retagFor } from './labels.ts';
import { atOnce } from './limits.ts';
import { pages } from './listings.ts';
import { machineTags, markOf } from './marks.ts';
import { readBy } from './reading.ts';
import { bootOf, labelsOf, originOf } from './tags.ts';

/** Machines. A launch has a token: sent again it answers the machines of the first time. */
export const instanceActuator = (client: Client): Actuator<'instance'> => ({
  list: async function* (call) {
    for await (const page of pages(client, call, 'ListInstances')) yield page.map(observe);
  },
  read: readBy(client, 'ListInstances', async () => ({ ok: true, value: observe })),
  create: async (batch, call) =>
    (await launchAll(client, call, batch)).map((result) =>
      result.ok ? { ok: true, value: observe(result.value) } : result,
    ),
  update: async (batch, call) => {
    const tagged = await retag(client, call, batch.map(retagOf));
    const changed = await singly(batch, (revision) => changeMachine(client, call, revision));
    return changed.map((result, index) => (result.ok ? (tagged[index] ?? result) : result));
  },
  delete: async (batch, call) =>
    (
      await together(batch, {
        key: () => '',
        size: atOnce.terminated,
        send: async (removals) => {
          const answer = await client.send(call, 'TerminateInstances', { ids: removals.map(({ id }) => id) });
          return answer.ok ? { ok: true, value: removals.map(() => undefined) } : answer;
        },
      })
    ).map(gone),
});

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
    condition: { state: condition[state] },
  };
}

const retagOf = ({ observed, changes, mark }: Revision<'instance'>): Retag =>
  retagFor(observed.id, changes, mark && machineTags(mark));
