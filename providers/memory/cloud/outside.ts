import { makeNetwork } from './calls/networks.ts';
import { rewrite } from './calls/tags.ts';
import { type ActionName, calls, type Input, type Output } from './calls.ts';
import type { Chronicle } from './history.ts';
import type { View } from './listing.ts';
import { seededRandom } from './random.ts';
import type { InstanceRecord, NetworkRecord, Tagged } from './records.ts';
import { tagTables } from './tables.ts';
import { must, type World } from './world.ts';

/** What colleagues do by hand: at once, past faults and budgets, but within the cloud's own rules. */
export interface Outside {
  /** Any call. */
  do<A extends ActionName>(action: A, input: Input<A>): Output<A>;
  /** The network that an account is born with. */
  defaultNetwork(): NetworkRecord;
  /** "Launch more like this": a machine with the same words and tags, our mark among them. Answers its id. */
  moreLike(instance: string): string;
  /** Writes tags that only the cloud or a service may write. */
  stamp(id: string, tags: Tagged['tags']): void;
  /** Copies every tag, our mark among them, onto another object. */
  copyTags(from: string, to: string): void;
}

export function outside(world: World, chronicle: Chronicle): Outside {
  const { tables } = world;
  const byHand = <R>(action: ActionName, work: () => R): R => {
    const { end } = chronicle.begin('outside', action);
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
    stamp: (id, tags) => byHand('TagObjects', () => rewrite(world, [id], (old) => ({ ...old, ...tags }))),
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
