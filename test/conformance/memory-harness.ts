import { type MemoryCloud, makeCloud } from '../../providers/memory/cloud.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import type { Fault } from '../../providers/memory/faults.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import { batches } from '../../providers/memory/rate-limits.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { reachWorld, triedIn } from '../simulation/reach.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import type { ByHand, Harness, Opened, Packets, Spelling, TroubleKind } from './harness.ts';
import type { Subject } from './subject.ts';

export const memorySubject: Subject = {
  dialect,
  manners: {
    owned: { network: 'mark', subnet: 'mark', group: 'mark', 'firewall-rule': 'container', instance: 'mark' },
    together: ['launches', 'rules', 'labels'],
    unsaid: [],
    refused: [],
    spells: false,
    bearsRules: true,
  },
};

/** The memory provider before an empty cloud. `lagMs`: for so long after a write, reads may not see it. */
export async function openMemory({ lagMs = 0 }: { readonly lagMs?: number } = {}): Promise<Opened> {
  const clock = virtualClock();
  const inner = makeCloud({ clock });
  const looks = new Set<() => void>();
  const cloud: MemoryCloud = {
    ...inner,
    serve: (caller, action, input) =>
      inner.serve(caller, action, input).finally(() => {
        for (const look of looks) look();
      }),
  };
  const scope = 'memory/acme/north';
  const session = await memoryProvider(cloud).open({ scope, account: 'acme', region: 'north' }, clock);
  const calm = (): void => {
    cloud.faults.clear();
    if (lagMs > 0) cloud.faults.add({ on: 'reads', fault: { do: 'lag', ms: lagMs } });
  };
  calm();
  const watch = (look: () => void) => {
    looks.add(look);
    return () => void looks.delete(look);
  };
  const harness: Harness = {
    session,
    words: {
      place: { account: 'acme', region: 'north' },
      machine: {
        image: 'img-1',
        sizes: ['small', 'large'],
        disks: ['ssd', 'hdd'],
        identities: ['web-role', 'db-role'],
      },
      labels: { tier: 'web', 'odd key/with.dots': 'a=b c', empty: '', umlaut: 'Größe' },
      zone: 'b',
      nowhere: (kind) => `${prefixes[kind]}-999999`,
    },
    run: clock.run,
    settle: () => clock.advance(600_000),
    trouble: {
      strike: (on, fault, nth) => cloud.faults.add({ on, ...(nth !== undefined && { nth }), fault: faults[fault] }),
      calm,
    },
    byHand: byHand(cloud),
    batches,
    clock,
    packets: { reach: reachIn(cloud), watch },
  };
  return { harness, close: () => session.close() };
}

/** Judged by the history of the cloud: machines and rules as they stand now. */
function reachIn({ history }: MemoryCloud): Packets['reach'] {
  const world = reachWorld(triedIn([]));
  let applied = 0;
  return ({ from, to, port }) => {
    for (const change of history.changes.slice(applied)) world.apply(change);
    applied = history.changes.length;
    return world.reaches({ from: from === 'internet' ? '203.0.113.10' : from, to, protocol: 'tcp', port });
  };
}

const prefixes: Readonly<Record<Kind, string>> = {
  network: 'net',
  subnet: 'sub',
  group: 'grp',
  'firewall-rule': 'rul',
  instance: 'ins',
};

const faults: Readonly<Record<TroubleKind, Fault>> = {
  throttle: { do: 'refuse', code: 'Throttled' },
  fail: { do: 'refuse', code: 'ServiceUnavailable' },
  refuse: { do: 'refuse', code: 'Denied' },
  'lost-before': { do: 'lost-before' },
  'lost-after': { do: 'lost-after' },
  'short-page': { do: 'short-page', items: 1 },
  delay: { do: 'delay', ms: 3_600_000 },
};

function byHand({ outside }: MemoryCloud): ByHand {
  let made = 0;
  const subnetIn = (network: CloudId): CloudId =>
    outside.do('CreateSubnet', { network, cidr: `10.1.${200 + ++made}.0/24`, tags: {} }).id;
  const makers: Readonly<Record<Kind, (network: CloudId) => CloudId>> = {
    network: () => outside.do('CreateNetwork', { cidr: '192.168.0.0/16', tags: { team: 'lab' } }).id,
    subnet: subnetIn,
    group: (network) => outside.do('CreateGroup', { network, name: `lab-${++made}`, tags: {} }).id,
    'firewall-rule': (network) =>
      addRule(makers.group(network), { protocol: 'tcp', from: 22, to: 22, peer: '10.0.0.0/8' }),
    instance: (network) => {
      const where = { subnet: subnetIn(network), publicIp: false, groups: [] };
      const run = {
        token: `lab-${++made}`,
        count: 1,
        tags: {},
        where,
        hardware: { image: 'img-9', size: 'small', disk: {} },
      };
      return outside.do('RunInstances', run)[0]?.id ?? '';
    },
  };
  const addRule = (group: CloudId, rule: Raw): CloudId =>
    outside.do('AuthorizeRules', { group, direction: 'ingress', rules: [{ ...rule, description: '' }] })[0]?.id ?? '';
  const spelling = (name: string, match: Spelling['match'], rule: Raw): Spelling => ({
    name,
    match,
    add: async ({ groups }) => addRule(groups[0], rule),
  });
  return {
    make: async (kind, network) => makers[kind](network ?? ''),
    remove: async (kind, id) => removers[kind](outside, id),
    parts: async () =>
      [...outside.do('ListGateways', {}).items, ...outside.do('ListRouteTables', {}).items].map(({ id }) => id),
    defaultNetwork: async () => outside.defaultNetwork().id,
    spellings: [
      spelling('tcp by number', { protocol: 'tcp', ports: '22', peers: ['10.0.0.0/8'] }, { ...raw, protocol: '6' }),
      spelling(
        'host bits',
        { protocol: 'udp', ports: '53', peers: ['100.68.0.0/18'] },
        { protocol: 'UDP', from: 53, to: 53, peer: '100.68.0.18/18' },
      ),
      spelling(
        'every port',
        { protocol: 'tcp', ports: 'all', peers: ['10.1.0.0/16'] },
        { ...raw, from: 0, to: 65_535, peer: '10.1.0.0/16' },
      ),
      spelling(
        'icmpv6 by number',
        { protocol: 'icmpv6', ports: 'all', peers: ['2001:db8::/32'] },
        { protocol: '58', from: -1, to: -1, peer: '2001:DB8:0:0::/32' },
      ),
      spelling(
        'all with ports',
        { protocol: 'all', ports: 'all', peers: ['10.2.0.0/16'] },
        { protocol: '-1', from: 80, to: 90, peer: '10.2.0.0/16' },
      ),
    ],
  };
}

interface Raw {
  readonly protocol: string;
  readonly from: number;
  readonly to: number;
  readonly peer: string;
}

const raw: Raw = { protocol: 'tcp', from: 22, to: 22, peer: '10.0.0.0/8' };

const removers: Readonly<Record<Kind, (outside: MemoryCloud['outside'], id: CloudId) => void>> = {
  network: (outside, id) => outside.do('DeleteNetwork', { id }),
  subnet: (outside, id) => outside.do('DeleteSubnet', { id }),
  group: (outside, id) => outside.do('DeleteGroup', { id }),
  'firewall-rule': (outside, id) => {
    const rule = outside.do('ListRules', { ids: [id] }).items[0];
    if (rule) outside.do('RevokeRules', { group: rule.group, direction: rule.match.direction, ids: [id] });
  },
  instance: (outside, id) => outside.do('TerminateInstances', { ids: [id] }),
};
