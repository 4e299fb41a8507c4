import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servicesText as printed } from '../../src/core/render/effect.ts';
import { servicesText } from '../src/services.ts';

const of = (...entries: readonly (readonly [protocol: string, ports: string])[]) =>
  entries.map(([protocol, ports]) => ({ protocol, ports }));

for (const [services, want] of [
  [of(['tcp', '22'], ['udp', '53']), '22/tcp, 53/udp'],
  [of(['tcp', '22,80-90']), '22/tcp, 80-90/tcp'],
  [of(['icmp', 'all']), 'all icmp'],
  [of(['all', 'all']), 'all traffic'],
  [of(['tcp', ''], ['udp', '53']), '53/udp'],
  [of(['all', 'all'], ['tcp', '']), 'all traffic but tcp'],
  [of(['tcp', ''], ['udp', '53'], ['all', 'all']), 'all traffic but tcp, udp, of which 53/udp'],
] as const)
  test(`services: ${want}`, () => {
    assert.equal(servicesText(services), want);
    assert.equal(printed(services), want, 'the command line prints the same');
  });
