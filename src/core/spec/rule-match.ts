import { z } from 'zod';
import { type PortRange, parsePorts } from '../port-set.ts';
import { whole } from './text-field.ts';

/**
 * One spelling per protocol, whatever cloud a person copied it from: `6`, `"6"`, `TCP` and `Tcp` are `tcp`; `-1` (AWS) and
 * `*` (Azure) are `all`; `esp`, `ah` and `sctp` are their numbers (https://www.iana.org/assignments/protocol-numbers).
 */
export type Protocol = 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'all' | number;

const NAMED: Readonly<Record<string, Protocol>> = {
  tcp: 'tcp',
  udp: 'udp',
  icmp: 'icmp',
  icmpv6: 'icmpv6',
  all: 'all',
  '-1': 'all',
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  '58': 'icmpv6',
  '*': 'all',
  esp: 50,
  ah: 51,
  sctp: 132,
};

const protocolForms = { error: 'tcp, udp, icmp, icmpv6, esp, ah, sctp, all, or the number of a protocol (0 to 255)' };

export const protocol = () =>
  z
    .union(
      [z.enum(['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'ah', 'sctp', 'all']), whole(-1, 255), z.string()],
      protocolForms,
    )
    .refine((given) => toProtocol(given) !== undefined, protocolForms)
    .transform((given): Protocol => toProtocol(given) ?? 'all');

function toProtocol(given: string | number): Protocol | undefined {
  const text = String(given).toLowerCase();
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}

const portForms = { error: 'a port (443) or a range (8000-8100), 0 to 65535' };

const port = z.union([z.int(), z.string()], portForms).refine((item) => parsePorts([item]) !== undefined, portForms);

/** Ports as a canonical set: ascending ranges that neither overlap nor touch. */
export const ports = () =>
  z
    .array(port, { error: 'a list of ports (443) and ranges (8000-8100)' })
    .min(1, { error: 'at least one port; leave ports out for all' })
    .transform((items): readonly PortRange[] => parsePorts(items) ?? []);

/** As AWS has it: -1 is every type, or every code of the type. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html */
export const icmp = () =>
  z
    .strictObject(
      {
        type: whole(-1, 255).meta({ description: 'The ICMP type; -1 is every type.' }),
        code: whole(-1, 255).default(-1).meta({ description: 'The code of the type; left out or -1: every code.' }),
      },
      { error: '{ type, code }' },
    )
    .refine(({ type, code }) => type !== -1 || code === -1, { error: 'no code where the type is every type' });
