import type { Place } from '../../../src/core/compile/dialect.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import { access } from '../../support/engine-world/documents.ts';

export type Asked = 'aws' | 'gcp' | 'azure';

/** One cloud's names for the place and the machines of the scenarios. */
export interface CloudWords {
  readonly target: Place;
  readonly machine: Readonly<Record<string, unknown>>;
  /** The request to the packet check of its sandbox: the place, and the name of an end. */
  readonly where: Readonly<Record<string, string>>;
  end(id: CloudId): string;
}

const withoutNumber = (id: CloudId): string => id.replace(/#.*$/, '');
const subscription = '11112222-3333-4444-8555-666677778888';

export const words: Readonly<Record<Asked, CloudWords>> = {
  aws: {
    target: { account: '111122223333', region: 'eu-west-1' },
    machine: { image: 'ami-0abc0abc0abc0abc0', size: 't3.small' },
    where: { account: '111122223333', region: 'eu-west-1' },
    end: (id) => id,
  },
  gcp: {
    target: { account: 'acme-prod', region: 'europe-west1', zone: 'europe-west1-b' },
    machine: { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small' },
    where: { project: 'acme-prod' },
    end: (id) => withoutNumber(id).replace(/^projects\/[^/]+\//, ''),
  },
  azure: {
    target: { account: subscription, region: 'westeurope', resourceGroup: 'prod' },
    machine: { image: 'Debian:debian-12:12-gen2:latest', size: 'Standard_B1s', access },
    where: { subscription },
    end: withoutNumber,
  },
};
