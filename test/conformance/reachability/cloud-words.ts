import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { CloudId } from '../../../src/core/resource.ts';

export type Asked = 'aws' | 'gcp' | 'azure';

/** What one cloud calls the place and the machines of the scenarios. */
export interface CloudWords {
  readonly dialect: Dialect;
  readonly target: { readonly account: string } & Readonly<Record<string, string>>;
  readonly machine: Readonly<Record<string, unknown>>;
  /** How the packet check of its sandbox is asked: where, and what an end is called. */
  readonly where: Readonly<Record<string, string>>;
  end(id: CloudId): string;
}

const withoutNumber = (id: CloudId): string => id.replace(/#.*$/, '');
const subscription = '11112222-3333-4444-8555-666677778888';
export const access = {
  user: 'ops',
  sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'],
};

export const words: Readonly<Record<Asked, CloudWords>> = {
  aws: {
    dialect: aws,
    target: { account: '111122223333', region: 'eu-west-1' },
    machine: { image: 'ami-0abc0abc0abc0abc0', size: 't3.small' },
    where: { account: '111122223333', region: 'eu-west-1' },
    end: (id) => id,
  },
  gcp: {
    dialect: gcp,
    target: { account: 'acme-prod', region: 'europe-west1', zone: 'europe-west1-b' },
    machine: { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small' },
    where: { project: 'acme-prod' },
    end: (id) => withoutNumber(id).replace(/^projects\/[^/]+\//, ''),
  },
  azure: {
    dialect: azure,
    target: { account: subscription, region: 'westeurope', resourceGroup: 'prod' },
    machine: { image: 'Debian:debian-12:12-gen2:latest', size: 'Standard_B1s', access },
    where: { subscription },
    end: withoutNumber,
  },
};
