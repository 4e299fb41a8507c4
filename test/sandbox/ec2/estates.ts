import { ACCOUNT, REGION } from '../bench.ts';

export const IMAGE = 'ami-0abcdef1234567890';

/** Ids of the estate below, so that tests can name their subjects. */
export const ID = {
  vpc: 'vpc-00000001',
  otherVpc: 'vpc-00000002',
  app: 'subnet-00000001',
  db: 'subnet-00000002',
  elsewhere: 'subnet-00000003',
  gateway: 'igw-00000001',
  table: 'rtb-00000001',
  web: 'sg-00000001',
  data: 'sg-00000002',
  foreign: 'sg-00000003',
  machine: 'i-00000001',
  stopped: 'i-00000002',
} as const;

/** Two VPCs: one with a way out, a web and a data group and two machines, and another with a subnet and a group. */
export function smallEstate(): unknown {
  return {
    regions: [
      {
        account: ACCOUNT,
        region: REGION,
        vpcs: [
          {
            key: 'core',
            id: ID.vpc,
            cidr: '10.0.0.0/16',
            tags: { Name: 'core' },
            gateway: { id: ID.gateway },
            subnets: [
              { key: 'app', id: ID.app, cidr: '10.0.1.0/24', zone: 'a' },
              { key: 'db', id: ID.db, cidr: '10.0.2.0/24', zone: 'b' },
            ],
            routeTables: [{ id: ID.table, subnets: ['app'], routes: [{ to: '0.0.0.0/0', via: 'gateway' }] }],
            groups: [
              { key: 'web', id: ID.web, ingress: [{ protocol: 'tcp', ports: '443', peers: ['0.0.0.0/0'] }] },
              { key: 'data', id: ID.data, ingress: [{ protocol: 'tcp', ports: '5432', peers: ['web'] }], egress: [] },
            ],
          },
          {
            key: 'other',
            id: ID.otherVpc,
            cidr: '10.9.0.0/16',
            subnets: [{ key: 'elsewhere', id: ID.elsewhere, cidr: '10.9.1.0/24' }],
            groups: [{ key: 'foreign', id: ID.foreign }],
          },
        ],
        instances: [
          { id: ID.machine, subnet: 'app', groups: ['web'], publicIp: true, tags: { tier: 'web' } },
          { id: ID.stopped, subnet: 'db', groups: ['data'], state: 'stopped' },
        ],
      },
    ],
  };
}
