import { makeNetwork } from './calls/networks.ts';
import { rewrite } from './calls/tags.ts';
import { type ActionName, calls, type Input, type Output } from './calls.ts';
import type { HistoryRecorder } from './history.ts';
import type { View } from './listing.ts';
import { seededRandom } from './random.ts';
import type { InstanceRecord, NetworkRecord, Tagged } from './records.ts';
import { tagTables } from './tables.ts';
import { must, type World } from './world.ts';

/** Changes by hand outside Setpoint: at once, past faults and budgets, but within the cloud's own rules. */
export interface Outside {
  /** Any call. */
  do<A extends ActionName>(action: A, input: Input<A>): Output<A>;
  /** The network that an account is born with. */
  defaultNetwork(): NetworkRecord;
  /** "Launch more like this": a machine with the same words and tags, our mark among them. Answers its id. */
  moreLike(instance: string): string;
  /** An image or a size is no longer to be had. */
  withdraw(name: string): void;
  /** Writes tags that only the cloud or a service may write. */
  stamp(id: string, tags: Tagged['tags']): void;
  /** From now on each machine of this image is ended so many ms after its launch; left out: none any more. */
  breakImage(image: string, afterMs?: number): void;
  /** Another image, size, disk or public address, as only a person at the cloud's console gives it to a machine that stands. */
  alter(instance: string, to: Alteration): void;
  /** Copies every tag, our mark among them, onto another object. */
  copyTags(from: string, to: string): void;
}

export interface Alteration {
  readonly hardware?: Partial<InstanceRecord['hardware']>;
  readonly publicIp?: boolean;
}

export function outside(world: World, history: HistoryRecorder): Outside {
  const { tables } = world;
  const byHand = <R>(action: ActionName, work: () => R): R => {
    const { end } = history.begin('outside', action);
    const result = work();
    end({ outcome: 'ok' });
    return result;
  };
  const perform = <A extends ActionName>(action: A, input: Input<A>): Output<A> => {
    // why: `calls[action]` takes exactly this input and gives exactly this output; TypeScript cannot tie the unions together
    const call = calls[action] as unknown as (world: World, input: Input<A>, view: View) => Output<A>;
    return byHand(action, () => call(world, input, truth));
  };
  let copies = 0;
  return {
    do: perform,
    defaultNetwork: () =>
      byHand('CreateNetwork', () => makeNetwork(world, { cidr: '172.31.0.0/16', isDefault: true, tags: {} })),
    moreLike: (id) => {
      const { tags, place, groups, hardware }: InstanceRecord = must(tables.instances, id);
      const where = { subnet: place.subnet, publicIp: place.publicIp, groups };
      const run = { token: `copy ${++copies} of ${id}`, count: 1, tags, where, hardware };
      return perform('RunInstances', run)[0]?.id ?? '';
    },
    withdraw: (name) => void world.withdrawn.add(name),
    stamp: (id, tags) => byHand('TagObjects', () => rewrite(world, [id], (old) => ({ ...old, ...tags }))),
    breakImage: (image, afterMs) => {
      if (afterMs === undefined) world.broken.delete(image);
      else world.broken.set(image, afterMs);
    },
    alter: (id, { hardware, publicIp }) =>
      byHand('ModifyDisk', () => {
        const record = must(tables.instances, id);
        const place = publicIp === undefined ? record.place : { ...record.place, publicIp };
        tables.instances.put({ ...record, place, hardware: { ...record.hardware, ...hardware } });
      }),
    copyTags: (from, to) => {
      const source = tagsOf(world, from);
      byHand('TagObjects', () => rewrite(world, [to], (old) => ({ ...old, ...source })));
    },
  };
}

function tagsOf({ tables }: World, id: string): Tagged['tags'] {
  return tagTables(tables).flatMap((table) => table.get(id) ?? [])[0]?.tags ?? {};
}

const truth: View = { staleMs: 0, random: seededRandom(0), pageSize: Number.POSITIVE_INFINITY, misses: 0 };
