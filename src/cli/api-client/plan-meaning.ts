import type { Effect, End, TrafficChange } from '../../core/effect/effect.ts';
import type { ServiceEntry } from '../../core/effect/service-set.ts';
import type { Violation } from '../../core/policy/evaluate.ts';
import { type PortRange, parsePorts } from '../../core/port-set.ts';
import type { Kind } from '../../core/resource.ts';
import { type Decoder, decode } from './decode.ts';

const place = decode.object({ file: decode.string, line: decode.number });
const texts = decode.list(decode.string);
const number = decode.optional(decode.number);

const block = decode.object({ cidr: decode.string, anyone: decode.boolean });
const machines = decode.object({
  ...{ network: decode.string, groups: texts, names: texts, count: decode.number, instances: texts },
  ...{ exposed: number, maybeExposed: number },
});

const end: Decoder<End> = (value, at) => {
  if (typeof value === 'object' && value !== null && 'cidr' in value) {
    const { cidr, anyone } = block(value, at);
    return { kind: 'block', cidr, isAnyone: anyone };
  }
  const { count, instances, ...rest } = machines(value, at);
  // why: a server lists the first of many
  const all = [...instances, ...Array<string>(Math.max(0, count - instances.length)).fill('')];
  return { kind: 'instances', ...rest, instances: all };
};

const service: Decoder<ServiceEntry> = (value, at) => {
  const { protocol, ports } = decode.object({ protocol: decode.string, ports: decode.string })(value, at);
  if (ports === 'all') return { protocol };
  const parts = ports.split(',');
  return { protocol, ports: protocol.startsWith('icmp') ? parts.map(icmpRange) : (parsePorts(parts) ?? []) };
};

/** `8/0`, `8` or `8-10`: a type has 256 codes. */
function icmpRange(text: string): PortRange {
  const [type = '', code] = text.split('/');
  if (code !== undefined) return { from: Number(type) * 256 + Number(code), to: Number(type) * 256 + Number(code) };
  const [first = '', last = first] = type.split('-');
  return { from: Number(first) * 256, to: Number(last) * 256 + 255 };
}

const traffic = { scope: decode.string, from: end, to: end, services: decode.list(service), resources: texts };

const changeOf = ({ resources, ...rest }: Omit<TrafficChange, 'by'> & { readonly resources: readonly string[] }) => ({
  ...rest,
  by: resources,
});

const known = decode.object(traffic);
const unknown = decode.object({ ...traffic, change: decode.oneOf('opens', 'cuts'), reasons: texts });
const idle = decode.object({
  ...{ scope: decode.string, address: decode.string, toCome: decode.number, document: decode.optional(place) },
});

/** The effect on traffic as a plan of here has it. */
export const decodeEffect: Decoder<Effect> = (value, at) => {
  const answer = decode.object({
    opens: decode.list(known),
    cuts: decode.list(known),
    unknown: decode.list(unknown),
    idle: decode.list(idle),
    gaps: texts,
  })(value, at);
  return {
    opens: answer.opens.map(changeOf),
    cuts: answer.cuts.map(changeOf),
    unknown: answer.unknown.map(({ change, reasons, ...rest }) => ({ ...changeOf(rest), change, reasons })),
    idle: answer.idle.map(({ scope, address, toCome, document }) => ({
      ...{ scope, rule: address, toCome },
      ...(document === undefined ? {} : { document: { address, ...document } }),
    })),
    gaps: answer.gaps,
  };
};

/** The violations of policies as a plan of here has them. */
export const decodeViolation: Decoder<Violation> = (value, at) => {
  const { document, kind, ...rest } = decode.object({
    ...{ policy: decode.string, rule: decode.string, effect: decode.oneOf('deny', 'warn') },
    ...{ mode: decode.oneOf('audit', 'enforce'), kind: decode.string, address: decode.string, targets: texts },
    ...{ document: place, owner: decode.optional(decode.string), message: decode.string },
    failed: decode.optional(decode.string),
  })(value, at);
  // why: a kind is shown by its name only
  return { ...rest, kind: kind as Kind, document: { address: rest.address, ...document } };
};
