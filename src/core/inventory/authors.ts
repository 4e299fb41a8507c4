import type { ScopePlan } from '../action.ts';
import type { TouchedBy } from '../last-modified.ts';
import type { Write } from '../ledger/writes.ts';
import { flowOf } from '../order/flow.ts';
import { type Healing, healingIn } from '../plan/healing.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import { coversPorts } from '../port-set.ts';
import type { Address, Cloud, CloudId, Kind, RuleAttributes, ScopeKey } from '../resource.ts';
import { compareText } from '../text.ts';
import type { Ownership } from './ownership.ts';

/** A port as a person names it. `protocol` absent: any. */
export interface PortAsked {
  readonly port: number;
  readonly protocol?: string;
}

/** Reads `22`, `22/tcp` or `53/udp`; undefined for anything else. */
export function parsePort(text: string): PortAsked | undefined {
  const [, digits, protocol] = /^(\d{1,5})(?:\/(tcp|udp|sctp))?$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  return protocol === undefined ? { port } : { port, protocol: protocol.toLowerCase() };
}

export const portText = ({ port, protocol }: PortAsked): string =>
  protocol === undefined ? `${port}` : `${port}/${protocol}`;

/** Protocols that have ports; `all` stands for every protocol. https://www.iana.org/assignments/protocol-numbers */
const numbers: ReadonlyMap<string, string> = new Map([
  ['6', 'tcp'],
  ['17', 'udp'],
  ['132', 'sctp'],
]);
const withPorts: readonly string[] = ['tcp', 'udp', 'sctp'];

/** True where a rule lets traffic in to this port. A rule that is switched off opens nothing. */
export function opens(rule: RuleAttributes, { port, protocol }: PortAsked): boolean {
  if (rule.match.direction !== 'ingress' || rule.match.action !== 'allow') return false;
  return servicesOf(rule).some((one) => {
    const service = flowOf(one)?.service;
    if (service === undefined) return false;
    const name = numbers.get(service.protocol) ?? service.protocol;
    const isAsked = name === 'all' || (protocol === undefined ? withPorts.includes(name) : name === protocol);
    return isAsked && coversPorts(service.ranges, [{ from: port, to: port }]);
  });
}

/** A rule with several protocols (`icmp:all;tcp:80,443`) as one for each; Azure's source ports (`443 from 5000`) are left out. */
function servicesOf(rule: RuleAttributes): readonly RuleAttributes[] {
  const { protocol, ports } = rule.match;
  const each = protocol.includes(',')
    ? ports.split(';').map((text) => text.split(':', 2))
    : [[protocol, ports.replace(/ from .*$/, '')]];
  return each.map(([one = 'all', range = 'all']) => ({
    ...rule,
    match: { ...rule.match, protocol: one, ports: range },
  }));
}

/** A change that an event named. `container`: the event names only the group or network of the object. */
interface HeardChange {
  readonly source: 'event';
  readonly at: number;
  readonly by: TouchedBy;
  readonly container?: CloudId;
}

/** A change that this estate made. */
interface OwnChange {
  readonly source: 'ledger';
  readonly at: number;
  readonly write: Write;
  /** The authors of the commits that its generation brought, as these claim. Absent: unknown, or not for this reader. */
  readonly authors?: AuthorNames;
}

/** `more`: there are others who could not be read. */
export interface AuthorNames {
  readonly names: readonly string[];
  readonly more: boolean;
}

export type Change = HeardChange | OwnChange;

/** An object, or a resource that is gone, with the known changes of it, the newest first. */
export interface Authorship {
  readonly scope: ScopeKey;
  readonly kind: Kind;
  readonly address?: Address;
  /** Absent where nothing stands. */
  readonly object?: Pick<Ownership, 'observed' | 'claim' | 'why'>;
  /** Of a rule that is gone: as it was. Of one that Setpoint changed since: as it was while it opened the port. */
  readonly rule?: RuleAttributes;
  /** Of drift. */
  readonly healing?: Healing;
  readonly changes: readonly Change[];
}

/** The answer of `setpoint who`. `subject`: an address, an id of the cloud, or a port. */
export interface WhoReport {
  readonly subject: string;
  readonly port?: PortAsked;
  readonly found: readonly Authorship[];
  /** Scopes whose rules were not listed completely, where a port is asked about: others may open it. */
  readonly incomplete: readonly ScopeKey[];
  /** True where Setpoint changed so many rules lately that it did not read all of these changes. */
  readonly truncated?: boolean;
  /** Clouds whose audit logs reach Setpoint; absent: none. */
  readonly auditLogs?: readonly Cloud[];
}

/** `ids`: of the object and its parts, also of one that is gone. `container`: the group or network that it lies in. */
interface HeardAbout {
  readonly ids: readonly CloudId[];
  readonly container?: CloudId | undefined;
}

/**
 * The last change of each of these ids in events. Where none names them, that of their container: some clouds name only that, so it may
 * have been another change.
 */
export function heardChanges(
  { ids, container }: HeardAbout,
  { knowledge, dialect }: Pick<PlanInput, 'knowledge' | 'dialect'>,
): readonly Change[] {
  const auditLogId = dialect.names.auditLogId ?? ((id) => id);
  const of = (id: CloudId): readonly HeardChange[] => {
    const by = knowledge.touches?.get(auditLogId(id))?.by;
    return by === undefined ? [] : [{ source: 'event', at: by.at, by }];
  };
  const own = [...new Map(ids.flatMap(of).map((one) => [one.by.event, one])).values()];
  if (own.length > 0 || container === undefined) return own;
  return of(container).map((one) => ({ ...one, container }));
}

/** True where healing undoes the drift of a resource; undefined where nothing drifted. `id`: of its object. */
export function healingOf(
  { id, address }: { readonly id: CloudId | undefined; readonly address: Address | undefined },
  { actions, findings }: Pick<ScopePlan, 'actions' | 'findings'>,
): Healing | undefined {
  const healing = healingIn({ findings });
  const acting = actions.find((one) => ('observed' in one ? one.observed.id === id : one.address === address));
  const found = findings.find((one) => one.type === 'withheld' && one.cause === 'drift' && one.address === address);
  const entry = acting ?? (address === undefined ? undefined : found);
  return entry && healing(entry);
}

/** Writes that failed changed nothing. */
export const ownChanges = (writes: readonly Write[]): readonly Change[] =>
  writes.flatMap((write) => (write.outcome === 'failed' ? [] : [{ source: 'ledger', at: write.at, write }]));

/** At one moment a write of ours comes first: it heals what others changed. */
export const newestFirst = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => b.at - a.at || compareText(b.source, a.source));

/** Those that were changed last come first, those of which no change is known last. */
export const byNewest = (a: Authorship, b: Authorship): number =>
  (b.changes[0]?.at ?? 0) - (a.changes[0]?.at ?? 0) || compareText(keyOf(a), keyOf(b));

const keyOf = ({ scope, address, object }: Authorship): string => `${scope} ${address ?? object?.observed.id ?? ''}`;
