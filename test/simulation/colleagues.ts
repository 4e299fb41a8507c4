import type { Alteration } from '../../providers/memory/cloud/outside.ts';
import type { InstanceRecord } from '../../providers/memory/cloud/records.ts';
import { Refusal } from '../../providers/memory/cloud/refusal.ts';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import type { Draw } from './draw.ts';

/** People who work in the same account by hand. */
export interface Colleagues {
  /** One thing that one of them does. `known`: ids that the store settled; marks of others may still be on their way. */
  act(known: ReadonlySet<string>): void;
  /** They read the findings, and revert changes that only a new machine would heal. */
  tidy(): void;
}

/** They never obstruct the specs: that would be a matter between people. */
export function colleagues(cloud: MemoryCloud, draw: Draw): Colleagues {
  const altered = new Map<string, InstanceRecord>();
  const tried = (deed: () => void): void => {
    try {
      deed();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  };
  const alter = (known: ReadonlySet<string>): void => {
    const id = some({ cloud, draw, known }, 'instance');
    const record = instanceOf(cloud, id);
    if (record === undefined) return;
    if (!altered.has(id)) altered.set(id, record);
    cloud.outside.alter(id, or(draw.pick(alterations), {}));
  };
  return {
    act: (known) =>
      tried(() => {
        if (draw.chance(0.2)) alter(known);
        else draw.pick(deeds)?.({ cloud, draw, known });
      }),
    tidy: () => {
      for (const [id, { hardware, place }] of altered)
        tried(() => {
          const stands = instanceOf(cloud, id);
          const { image, disk } = hardware;
          if (stands) cloud.outside.alter(id, { hardware: { image, disk }, publicIp: place.publicIp });
        });
    },
  };
}

const or = <T>(drawn: T | undefined, fallback: T): T => drawn ?? fallback;

function instanceOf({ inspect }: MemoryCloud, id: string): InstanceRecord | undefined {
  const found = inspect.live().find((one) => one.type === 'instance' && one.id === id);
  // why: the type was just checked
  return found?.record as InstanceRecord | undefined;
}

/** Edits of fields that a machine cannot get back while it stands, or keeps better as they are. */
const alterations: readonly Alteration[] = [
  { hardware: { image: 'img-3' } },
  { hardware: { disk: { size: 40, type: 'ssd', encrypted: false } } },
  { hardware: { disk: { size: 8, type: 'slow', encrypted: true } } },
  { hardware: { size: 'huge' } },
  { publicIp: true },
];

interface Hands {
  readonly cloud: MemoryCloud;
  readonly draw: Draw;
  readonly known: ReadonlySet<string>;
}

/** `theirs`: made by people. What we made and did not settle yet is neither: who takes its mark away makes it theirs. */
const some = ({ cloud, draw, known }: Hands, type: string, whose: 'ours' | 'theirs' = 'ours'): string => {
  const made = new Set(
    cloud.history.changes.flatMap(({ caller, before, id }) => (caller === 'outside' && !before ? id : [])),
  );
  const of = whose === 'ours' ? known : made;
  return draw.pick(cloud.inspect.live().filter((one) => one.type === type && of.has(one.id)))?.id ?? 'nothing';
};

const rule = (draw: Draw) => ({
  protocol: 'tcp',
  from: 1000 + draw.int(5),
  to: 1010,
  peer: '198.51.100.0/24',
  description: 'by hand',
});

const deeds: readonly ((hands: Hands) => void)[] = [
  (hands) => {
    const rules = [rule(hands.draw)];
    hands.cloud.outside.do('AuthorizeRules', { group: some(hands, 'group'), direction: 'ingress', rules });
  },
  (hands) => {
    const group = some(hands, 'group');
    const page = hands.cloud.outside.do('ListRules', {});
    const found = hands.draw.pick(page.items.filter((one) => one.group === group));
    if (found) hands.cloud.outside.do('RevokeRules', { group, direction: found.match.direction, ids: [found.id] });
  },
  (hands) => hands.cloud.outside.do('TerminateInstances', { ids: [some(hands, 'instance')] }),
  (hands) => hands.cloud.outside.do('StopInstances', { ids: [some(hands, 'instance')] }),
  (hands) => void hands.cloud.outside.moreLike(some(hands, 'instance')),
  (hands) => hands.cloud.outside.stamp(some(hands, 'instance'), { tier: 'changed by hand' }),
  (hands) => hands.cloud.outside.stamp(some(hands, 'network'), { tier: 'changed by hand' }),
  (hands) => void hands.cloud.outside.do('CreateNetwork', { cidr: '172.16.0.0/16', tags: { team: 'lab' } }),
  (hands) => hands.cloud.outside.copyTags(some(hands, 'network'), some(hands, 'network', 'theirs')),
  (hands) => hands.cloud.outside.copyTags(some(hands, 'instance'), some(hands, 'network', 'theirs')),
];
