import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  allServices,
  entriesIn,
  intersect,
  noServices,
  oneService,
  ruleServices,
  type Services,
  subtract,
  unite,
} from '../../../src/core/effect/service-set.ts';
import { servicesJson, servicesText } from '../../../src/core/render/effect.ts';

const told = (services: Services): string => servicesText(entriesIn(services).map(servicesJson)) || 'nothing';
const tcp = (from: number, to = from): Services => oneService('tcp', [{ from, to }]);
const allButTcp22 = subtract(allServices, tcp(22));

describe('sets of services', () => {
  for (const [services, want] of [
    [unite(tcp(22), tcp(23)), '22-23/tcp'],
    [unite(tcp(22), oneService('udp')), '22/tcp, all udp'],
    [unite(tcp(22), allServices), 'all traffic'],
    [unite(allButTcp22, tcp(22)), 'all traffic'],
    [subtract(tcp(20, 30), tcp(22)), '20-21/tcp, 23-30/tcp'],
    [subtract(tcp(22), allServices), 'nothing'],
    [subtract(allServices, oneService('tcp')), 'all traffic but tcp'],
    [subtract(allButTcp22, allButTcp22), 'nothing'],
    [intersect(tcp(20, 30), tcp(25, 40)), '25-30/tcp'],
    [intersect(allButTcp22, tcp(20, 30)), '20-21/tcp, 23-30/tcp'],
    [intersect(tcp(22), oneService('udp')), 'nothing'],
    [intersect(noServices, allServices), 'nothing'],
  ] as const)
    test(want, () => assert.equal(told(services), want));

  test('equal sets have equal keys, however they were made', () => {
    assert.equal(unite(tcp(23), tcp(22)).key, tcp(22, 23).key);
    assert.equal(unite(subtract(allServices, oneService('udp')), oneService('udp')).key, allServices.key);
  });
});

describe('services of a rule', () => {
  for (const [cloud, protocol, ports, sure, may] of [
    ['aws', 'tcp', '80,443', '80/tcp, 443/tcp', '80/tcp, 443/tcp'],
    ['aws', 'all', 'all', 'all traffic', 'all traffic'],
    ['aws', 'all', '53', 'all traffic', 'all traffic'],
    [
      'azure',
      'all',
      '53',
      'all traffic but tcp, udp, of which 53/tcp, 53/udp',
      'all traffic but tcp, udp, of which 53/tcp, 53/udp',
    ],
    ['azure', 'tcp', '80 from 5000', 'nothing', '80/tcp'],
    ['aws', 'icmp', '8/0', '8/0/icmp', '8/0/icmp'],
    ['aws', 'icmp', '8/all', '8/icmp', '8/icmp'],
    ['gcp', 'tcp,udp', 'tcp:80;udp:all', '80/tcp, all udp', '80/tcp, all udp'],
    ['gcp', 'tcp', 'ssh', 'nothing', 'all tcp'],
    ['aws', '47', 'all', 'all 47', 'all 47'],
  ] as const)
    test(`${cloud} ${protocol} ${ports}`, () => {
      const services = ruleServices(cloud, { protocol, ports });
      assert.deepEqual([told(services.sure), told(services.may)], [sure, may]);
    });
});
