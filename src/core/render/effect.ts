import type { Effect, End, TrafficChange } from '../effect/effect.ts';
import type { ServiceEntry } from '../effect/service-set.ts';
import { formatPort, type PortRange } from '../port-set.ts';
import type { ScopeKey } from '../resource.ts';
import { listed, printable } from '../text.ts';
import { short } from './rule-text.ts';
import { type Paint, plain, type Style } from './wording.ts';

/** The most lines of one sort; the rest is a number. */
const mostLines = 10;

/** The effect as data, for `--json` and the API. */
export interface EffectJson {
  readonly opens: readonly ChangeJson[];
  readonly cuts: readonly ChangeJson[];
  readonly unknown: readonly UnknownJson[];
  readonly idle: readonly IdleJson[];
  readonly gaps: readonly string[];
}

interface ChangeJson {
  readonly scope: ScopeKey;
  readonly from: EndJson;
  readonly to: EndJson;
  readonly services: readonly ServiceJson[];
  readonly resources: readonly string[];
}

interface UnknownJson extends ChangeJson {
  readonly change: 'opens' | 'cuts';
  readonly reasons: readonly string[];
}

/** `toCome`: machines that the plan creates and that the rule will apply to. */
interface IdleJson {
  readonly scope: ScopeKey;
  readonly address: string;
  readonly toCome: number;
  readonly document?: { readonly file: string; readonly line: number } | undefined;
}

export type EndJson = BlockJson | MachinesJson;

interface BlockJson {
  readonly cidr: string;
  readonly anyone: boolean;
}

/** As `Instances`; `instances`: the first of `count`. */
interface MachinesJson {
  readonly network: string;
  readonly groups: readonly string[];
  readonly names: readonly string[];
  readonly count: number;
  readonly instances: readonly string[];
  readonly exposed?: number | undefined;
  readonly maybeExposed?: number | undefined;
}

/** `ports`: `all`, or `22,80-90`; of ICMP `8/0` or `8`; empty where no port of the protocol is meant. */
export interface ServiceJson {
  readonly protocol: string;
  readonly ports: string;
}

/** The section of a plan, from its data; undefined where it changes no traffic. */
export function effectText(effect: EffectJson, paint: Paint = plain): string | undefined {
  const lines = effectLines(effect, paint);
  if (lines.length === 0) return undefined;
  return [paint('strong', 'Effect on traffic:'), ...lines.map((text) => `  ${text}`)].join('\n');
}

/** The lines of that section; none where it changes no traffic. */
export function effectLines(effect: EffectJson, paint: Paint = plain): readonly string[] {
  const { opens, cuts, unknown, idle, gaps } = printable(effect);
  if (opens.length + cuts.length + unknown.length + idle.length === 0) return [];
  const changes = [...opens, ...cuts, ...unknown];
  const scopes = new Set([...changes, ...idle].map(({ scope }) => scope));
  const openings = opens.map((one) => line(one, [isFromAnyone(one) ? 'remove' : 'change', `! ${openingText(one)}`]));
  return [
    ...sections(openings, scopes, paint),
    ...sections(
      cuts.map((one) => line(one, ['remove', `- ${cutText(one)}`])),
      scopes,
      paint,
    ),
    ...sections(unknown.map(unknownLine), scopes, paint),
    ...idleLines(idle, scopes, paint),
    ...gaps.map((gap) => `${paint('note', '· may be incomplete')}  ${gap}`),
  ];
}

interface Line {
  readonly scope: ScopeKey;
  readonly said: readonly [Style, string];
  readonly more: string;
}

const line = (change: ChangeJson, said: Line['said']): Line => ({
  ...{ scope: change.scope, said },
  more: [wayText(change), byText(change)].filter((text) => text !== '').join('  '),
});

const unknownLine = (change: UnknownJson): Line => ({
  ...line(change, ['note', `? ${unknownText(change)}`]),
  more: change.reasons.join('; ') || byText(change),
});

/** Equal lines of several scopes are one. */
function sections(all: readonly Line[], scopes: ReadonlySet<ScopeKey>, paint: Paint): readonly string[] {
  const same = [...Map.groupBy(all, ({ said: [, text], more }) => `${text}\n${more}`).values()];
  const lines = same.slice(0, mostLines).flatMap((each) => {
    const [first] = each;
    if (first === undefined) return [];
    const where = scopesText(new Set(each.map(({ scope }) => scope)), scopes);
    const more = [where, first.more].filter((text) => text !== '');
    return [`${paint(...first.said)}${more.map((text) => paint('dim', `  ${text}`)).join('')}`];
  });
  const rest = same.length - lines.length;
  return rest > 0 ? [...lines, paint('dim', `and ${rest} more: --json lists all`)] : lines;
}

/** `on aws, gcp`; empty where it holds for all scopes. */
function scopesText(some: ReadonlySet<ScopeKey>, all: ReadonlySet<ScopeKey>): string {
  if (some.size === all.size) return '';
  const cloudOf = (scope: ScopeKey): string => scope.replace(/\/.*$/, '');
  const isPlain = new Set([...all].map(cloudOf)).size === all.size;
  return `on ${[...some].map((scope) => (isPlain ? cloudOf(scope) : scope)).join(', ')}`;
}

const isFromAnyone = ({ from }: ChangeJson): boolean => 'cidr' in from && from.anyone;

/** `opens 22/tcp to core.web (14 instances) from 0.0.0.0/0` */
function openingText(change: ChangeJson): string {
  const { from, to, services } = change;
  const what = `opens ${servicesText(services)}`;
  return 'network' in from && 'cidr' in to
    ? `${what} from ${endText(from)} to ${endText(to)}`
    : `${what} to ${endText(to)} from ${endText(from)}`;
}

/** `cuts core.app (3 instances) from core.db (1 instance) on 5432/tcp` */
const cutText = ({ from, to, services }: ChangeJson): string =>
  `cuts ${endText(from)} from ${endText(to)} on ${servicesText(services)}`;

function unknownText(change: UnknownJson): string {
  const text = change.change === 'opens' ? openingText(change) : cutText(change);
  return text.replace(/^(open|cut)s/, 'may $1');
}

const mostCauses = 2;

/** `firewall-rule core.ssh and 2 more` */
function byText({ resources }: ChangeJson): string {
  return listed(resources.map(resourceText), mostCauses);
}

const resourceText = (ref: string): string => {
  const kind = /\/(firewall-rule|instance|subnet|network)\//.exec(ref)?.[1];
  return kind === undefined ? ref : `${kind} ${short(ref)}`;
};

/** Rules for machines to come are as they should be: their number is enough. */
function idleLines(idle: readonly IdleJson[], scopes: ReadonlySet<ScopeKey>, paint: Paint): readonly string[] {
  const alone = idle.filter(({ toCome }) => toCome === 0);
  const early = new Set(idle.filter(({ toCome }) => toCome > 0).map(({ address }) => short(address))).size;
  const rules = early === 1 ? 'A new rule applies' : `${early} new rules apply`;
  const lines = alone.map(
    ({ scope, address, document }): Line => ({
      ...{ scope, said: ['note', `· ${resourceText(address)} applies to no instance`] },
      more: document === undefined ? '' : `${document.file}:${document.line}`,
    }),
  );
  return [
    ...sections(lines, scopes, paint),
    ...(early === 0 ? [] : [paint('dim', `· ${rules} only to instances that this plan creates`)]),
  ];
}

const endText = (end: EndJson): string => ('cidr' in end ? end.cidr : machinesText(end));

const mostNames = 3;

/** `web-0`, `core.web (14 instances)`, `all 20 instances of core` */
function machinesText({ network, count: all, groups, names }: MachinesJson): string {
  const [only] = names;
  if (groups.length === 0 && only === undefined) return `all ${countText(all)} of ${network}`;
  if (groups.length === 0 && names.length === 1 && only !== undefined) return only;
  const shown = groups.length === 0 ? names.slice(0, mostNames) : groups.slice(0, mostNames);
  const isWhole = shown.length === groups.length + names.length;
  return `${shown.join(', ')}${isWhole ? '' : ', …'} (${countText(all)})`;
}

/** The machines that packets to or from a block outside find a way to; empty between machines. */
function wayText({ from, to }: ChangeJson): string {
  const end = 'network' in from ? from : to;
  if ('cidr' in end || end.exposed === undefined) return '';
  const { count, exposed, maybeExposed = 0 } = end;
  if (exposed === count) return 'all of them exposed';
  if (maybeExposed > 0) return `${exposed} of them exposed, ${maybeExposed} by ways that Setpoint does not evaluate`;
  return exposed === 0 ? 'none of them exposed: no way to the internet' : `${exposed} of them exposed`;
}

const countText = (instances: number): string => `${instances} instance${instances === 1 ? '' : 's'}`;

/**
 * `22/tcp, 53/udp`; `all traffic`; and where some protocols are in it in part only `all traffic but tcp and udp, of which 53/tcp, 53/udp`.
 */
export function servicesText(services: readonly ServiceJson[]): string {
  const parts = services.filter(({ protocol }) => protocol !== 'all');
  const texts = parts.flatMap(entryTexts);
  if (parts.length === services.length) return texts.join(', ');
  if (parts.length === 0) return 'all traffic';
  const but = `all traffic but ${parts.map(({ protocol }) => protocol).join(', ')}`;
  return texts.length === 0 ? but : `${but}, of which ${texts.join(', ')}`;
}

function entryTexts({ protocol, ports }: ServiceJson): readonly string[] {
  if (ports === 'all') return [`all ${protocol}`];
  return ports === '' ? [] : ports.split(',').map((port) => `${port}/${protocol}`);
}

/** Ports, or of ICMP `type/code`. */
function portText(protocol: string, range: PortRange): string {
  if (!protocol.startsWith('icmp')) return formatPort(range);
  const type = Math.floor(range.from / 256);
  if (range.from === range.to) return `${type}/${range.from % 256}`;
  return range.to === range.from + 255 ? `${type}` : `${type}-${Math.floor(range.to / 256)}`;
}

/** Machines of one end that are named one by one. */
const mostListed = 100;

const endJson = (end: End): EndJson =>
  end.kind === 'block'
    ? { cidr: end.cidr, anyone: end.isAnyone }
    : {
        ...{ network: end.network, groups: end.groups, names: end.names, count: end.instances.length },
        instances: end.instances.slice(0, mostListed),
        exposed: end.exposed,
        maybeExposed: end.maybeExposed,
      };

export const servicesJson = ({ protocol, ports }: ServiceEntry): ServiceJson => ({
  protocol,
  ports: ports === undefined ? 'all' : ports.map((range) => portText(protocol, range)).join(','),
});

const changeJson = ({ scope, from, to, services, by }: TrafficChange): ChangeJson => ({
  ...{ scope, from: endJson(from), to: endJson(to) },
  services: services.map(servicesJson),
  resources: by,
});

/** The same as data. Of more than 100 machines of an end the first are listed. */
export const effectJson = ({ opens, cuts, unknown, idle, gaps }: Effect): EffectJson => ({
  opens: opens.map(changeJson),
  cuts: cuts.map(changeJson),
  unknown: unknown.map((one) => ({ change: one.change, ...changeJson(one), reasons: one.reasons })),
  idle: idle.map(({ scope, rule, document, toCome }) => ({
    ...{ scope, address: rule, toCome },
    document: document && { file: document.file, line: document.line },
  })),
  gaps,
});
