import type { Result } from '../../src/core/failure.ts';
import { imageToLaunch } from '../../src/core/kinds/instance.ts';
import { documentOfReplica } from '../../src/core/resource.ts';
import type { Call, Creation, LaunchAnswer, LaunchQuestion } from '../../src/ports/provider.ts';
import { failed } from './batch.ts';
import type { Client } from './client.ts';
import type { InstanceView } from './cloud/calls/instances.ts';
import { launchTags } from './marks.ts';
import { atOnce } from './rate-limits.ts';
import { bootTags, nameAndLabels } from './tags.ts';

type Launch = readonly Creation<'instance'>[];

/** One result for each, in order: equal machines with ordinals in a row leave in one launch, under the token of its first. */
export async function launchAll(client: Client, call: Call, batch: Launch): Promise<readonly Result<InstanceView>[]> {
  const results = new Map<Creation<'instance'>, Result<InstanceView>>();
  for (const launch of launches(batch)) {
    const answer = await run(client, call, launch);
    const machines = machinesOf(answer, launch.length);
    for (const [index, creation] of launch.entries()) results.set(creation, machines[index] ?? unanswered);
  }
  return batch.map((creation) => results.get(creation) ?? unanswered);
}

/** Cuts a batch into launches. */
export function launches(batch: Launch): readonly Launch[] {
  return [...Map.groupBy(batch, likeness).values()].flatMap((alike) => {
    const runs: Creation<'instance'>[][] = [];
    for (const creation of alike.toSorted((a, b) => ordinal(a) - ordinal(b))) {
      const current = runs.at(-1);
      const last = current?.at(-1);
      const follows = last && ordinal(creation) === ordinal(last) + 1 && (current?.length ?? 0) < atOnce.launched;
      if (current && follows) current.push(creation);
      else runs.push([creation]);
    }
    return runs;
  });
}

/** Two machines with one likeness differ in their ordinal alone. Without an ordinal a machine is like no other. */
function likeness({ desired, mark }: Creation<'instance'>): string {
  const { intent: _, address, ...rest } = mark;
  return JSON.stringify([documentOfReplica(address), documentOfReplica(desired.name), rest, desired.attributes]);
}

const ordinal = ({ mark }: Creation<'instance'>): number => Number(/-(\d+)$/.exec(mark.address)?.[1] ?? Number.NaN);

async function run(client: Client, call: Call, launch: Launch): Promise<Result<readonly InstanceView[]>> {
  const first = launch[0];
  if (!first) return { ok: true, value: [] };
  const { desired, mark } = first;
  const { placement, groups = [], machine, disk = {}, boot } = desired.attributes;
  const { size, identity } = machine;
  const image = imageToLaunch(machine);
  const secret = boot ? await call.secret(desired.address) : {};
  return client.send(call, 'RunInstances', {
    token: first.token,
    count: launch.length,
    tags: { ...nameAndLabels(desired), ...launchTags(mark), ...bootTags(boot) },
    where: { subnet: placement.subnet, publicIp: placement.publicIp, groups },
    hardware: { image, size, ...(identity !== undefined && { identity }), disk },
    ...(secret.userData !== undefined && { userData: secret.userData }),
  });
}

/** The engine sends an unanswered launch again, and a part of it would be another launch: all of it is answered or none. */
function machinesOf(answer: Result<readonly InstanceView[]>, count: number): readonly Result<InstanceView>[] {
  const all = Array.from({ length: count }, (_, index) => index);
  if (!answer.ok) return all.map(() => answer);
  const byIndex = new Map(answer.value.map((machine) => [machine.launch.index, machine]));
  const machines = all.flatMap((index) => byIndex.get(index) ?? []);
  if (machines.length < count) return all.map(() => unanswered);
  return machines.map((machine) => ({ ok: true, value: machine }));
}

const unanswered = failed({
  kind: 'ambiguous',
  code: 'Unanswered',
  message: 'the cloud did not answer for this machine',
});

/** Images and sizes that the cloud offers; each is asked for once a session. Subnets are never full. */
export function launchCheck(client: Client): (question: LaunchQuestion, call: Call) => Promise<LaunchAnswer> {
  const offered = new Set<string>();
  const ask = async (call: Call, what: 'image' | 'size', name: string): Promise<LaunchAnswer> => {
    if (offered.has(`${what} ${name}`)) return { as: 'possible' };
    const answer = await client.send(call, 'ListOffers', { what, name });
    if (!answer.ok) return { as: 'unknown', failure: answer.failure };
    if (!answer.value) {
      const message = `${what} ${name} does not exist: correct it in the document. ListOffers does not show it.`;
      return { as: 'impossible', failure: { kind: 'terminal', code: 'NotOffered', message } };
    }
    offered.add(`${what} ${name}`);
    return { as: 'possible' };
  };
  return async ({ image, size }, call) => {
    const first: LaunchAnswer = image === undefined ? { as: 'possible' } : await ask(call, 'image', image);
    if (first.as === 'impossible') return first;
    const second = await ask(call, 'size', size);
    return second.as === 'possible' ? first : second;
  };
}
