import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exposureIn } from '../../../src/core/effect/exposure.ts';
import type { Gap } from '../../../src/core/observed.ts';
import { type EstateDraft, inputOf, type MachineDraft } from './estate.ts';

const web: MachineDraft = { name: 'web-0', groups: ['all', 'web'], publicIp: true, ip: '10.0.1.5' };
const hidden: MachineDraft = { name: 'web-1', groups: ['all', 'web'], ip: '10.0.1.6' };
const db: MachineDraft = { name: 'db-0', groups: ['all', 'db'], publicIp: true, subnet: 'far', ip: '10.0.2.5' };
const idle: MachineDraft = { name: 'idle-0', groups: ['all', 'db'], ip: '10.0.1.7' };
const machines = [web, hidden, db, idle];
const sql = { name: 'sql', text: 'tcp 5432 from web to db' };
const ssh = { name: 'ssh', text: 'tcp 22 from 203.0.113.0/24 to web' };
const https = { name: 'https', text: 'tcp 443 from 0.0.0.0/0 to web' };
const aws: EstateDraft = { cloud: 'aws', machines, rules: [sql, ssh, https] };
const gcp: EstateDraft = { ...aws, cloud: 'gcp', network: { settings: { natGateways: [] } } };
const azure: EstateDraft = {
  ...aws,
  cloud: 'azure',
  rules: [
    { name: 'sql', text: 'tcp 5432 from web to db @ 200' },
    { name: 'https', text: 'tcp 443 from 0.0.0.0/0 to web @ 210' },
  ],
};

/** `web-0: yes by …` */
const exposed = (estate: EstateDraft, gaps: readonly Gap[] = []): readonly string[] => {
  const given = inputOf(estate);
  const input = { ...given, observation: { ...given.observation, gaps } };
  const found = exposureIn(input);
  return machines.flatMap(({ name }) => {
    const id = input.observation.resources.find((one) => one.kind === 'instance' && one.id.includes(name))?.id ?? '';
    const { answer, reason } = found.get(id) ?? {};
    return [`${name}: ${answer}: ${reason}`];
  });
};

interface Row {
  readonly name: string;
  readonly estate: EstateDraft;
  readonly gaps?: readonly Gap[];
  readonly want: readonly RegExp[];
}

const rows: readonly Row[] = [
  {
    name: 'AWS: by its address and rules; where it has no address a load balancer may forward what its rules let in',
    estate: aws,
    want: [
      /^web-0: yes: 443\/tcp from internet by core\.https; 22\/tcp, 443\/tcp from 203\.0\.113\.0\/24 by /,
      /^web-1: unknown: the machine has no public address, but .*load balancer/,
      /^db-0: no: no ingress rule of the machine allows it from 0\.0\.0\.0\/0$/,
      /^idle-0: no: the machine has no public address; no ingress rule/,
    ],
  },
  {
    name: 'AWS: the same where its rules let only a part of the internet in, and not for private blocks',
    estate: {
      ...{ cloud: 'aws', machines },
      rules: [ssh, { name: 'office', text: 'tcp 22 from 192.168.0.0/16 to db' }],
    },
    want: [
      /^web-0: yes: 22\/tcp from 203\.0\.113\.0\/24 by core\.ssh$/,
      /^web-1: unknown: the machine has no public address, but its rules let 203\.0\.113\.0\/24 in: a load balancer, .* may forward it$/,
      /^db-0: no/,
      /^idle-0: no/,
    ],
  },
  {
    name: 'AWS: a route elsewhere leaves unknown what the rules let in',
    estate: { ...aws, subnets: { near: { settings: { routes: [{ destination: '0.0.0.0/0', nextHop: 'tgw-1' }] } } } },
    want: [/^web-0: unknown: .*leads elsewhere/, /^web-1: unknown/, /^db-0: no/, /^idle-0: no: no ingress rule/],
  },
  {
    name: 'AWS: a network ACL leaves unknown what the rules let in, and lets in nothing else',
    estate: {
      ...aws,
      outer: { near: { filters: ['network ACL acl-1'] }, far: { filters: ['network ACL acl-1'] } },
    },
    want: [
      /^web-0: unknown: network ACL acl-1 may decide in subnet core\.near, which Setpoint does not evaluate$/,
      /^web-1: unknown/,
      /^db-0: no: no ingress rule/,
      /^idle-0: no/,
    ],
  },
  {
    name: 'Google Cloud: where no policy decides the rules do',
    estate: gcp,
    want: [/^web-0: yes: 443\/tcp/, /^web-1: unknown/, /^db-0: no: no ingress rule/, /^idle-0: no/],
  },
  {
    name: 'Google Cloud: a policy may let in what no rule does, and deny what rules allow',
    estate: { ...gcp, outer: { near: { filters: ['firewall policy a'] }, far: { filters: ['firewall policy b'] } } },
    want: [
      /^web-0: unknown: firewall policy a may decide in subnet core\.near, which Setpoint does not evaluate$/,
      /^web-1: unknown: .*firewall policy a/,
      /^db-0: unknown: firewall policy b may decide in subnet core\.far/,
      /^idle-0: unknown: .*firewall policy a/,
    ],
  },
  {
    name: 'Azure: where no security admin rule decides the rules do',
    estate: azure,
    want: [/^web-0: yes: 443\/tcp/, /^web-1: unknown/, /^db-0: no: /, /^idle-0: no/],
  },
  {
    name: 'Azure: a security admin rule may let in and deny anything',
    estate: { ...azure, outer: { near: { filters: ['security admin rule a'] }, far: { unlisted: ['denied'] } } },
    want: [
      /^web-0: unknown: security admin rule a may decide in subnet core\.near, which Setpoint does not evaluate$/,
      /^web-1: unknown/,
      /^db-0: unknown: the security admin rules of subnet core\.far are not known: denied$/,
      /^idle-0: unknown/,
    ],
  },
  {
    name: 'rules that were not listed may let anything in',
    estate: aws,
    gaps: [{ kind: 'firewall-rule', code: 'AccessDenied', reason: 'no permission' }],
    want: [/^web-0: (?:yes|unknown)/, /^web-1: unknown/, /^db-0: unknown/, /^idle-0: unknown/],
  },
];

describe('machines that the internet reaches', () => {
  for (const { name, estate, gaps, want } of rows)
    test(name, () => {
      const told = exposed(estate, gaps);
      assert.deepEqual(
        told.filter((text, at) => !want[at]?.test(text)),
        [],
        told.join('\n'),
      );
    });
});
