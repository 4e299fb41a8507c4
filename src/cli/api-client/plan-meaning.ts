import type { Violation } from '../../core/policy/evaluate.ts';
import type { EffectJson, EndJson } from '../../core/render/effect.ts';
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

const end: Decoder<EndJson> = (value, at) =>
  typeof value === 'object' && value !== null && 'cidr' in value ? block(value, at) : machines(value, at);

const service = decode.object({ protocol: decode.string, ports: decode.string });
const traffic = { scope: decode.string, from: end, to: end, services: decode.list(service), resources: texts };

/** The effect on traffic. */
export const decodeEffect: Decoder<EffectJson> = decode.object({
  opens: decode.list(decode.object(traffic)),
  cuts: decode.list(decode.object(traffic)),
  unknown: decode.list(decode.object({ change: decode.oneOf('opens', 'cuts'), ...traffic, reasons: texts })),
  idle: decode.list(
    decode.object({
      ...{ scope: decode.string, address: decode.string, toCome: decode.number, document: decode.optional(place) },
    }),
  ),
  gaps: texts,
});

/** The violations of policies as a plan of here has them. */
export const decodeViolation: Decoder<Violation> = (value, at) => {
  const { document, kind, ...rest } = decode.object({
    ...{ policy: decode.string, rule: decode.string, effect: decode.oneOf('deny', 'approval', 'warn') },
    ...{ mode: decode.oneOf('audit', 'enforce'), kind: decode.string, address: decode.string, targets: texts },
    ...{ document: place, owner: decode.optional(decode.string), message: decode.string },
    failed: decode.optional(decode.string),
    facts: decode.optional(decode.string),
  })(value, at);
  // why: a kind is shown by its name only
  return { ...rest, kind: kind as Kind, document: { address: rest.address, ...document } };
};
