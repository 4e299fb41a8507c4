import { type AwsColleague, awsColleague } from './aws-colleague.ts';
import { type AzureColleague, azureColleague } from './azure-colleague.ts';
import { type GcpColleague, gcpColleague } from './gcp-colleague.ts';

/** Three people, one for each cloud, who edit by hand. */
export interface Colleagues {
  readonly aws: AwsColleague;
  readonly gcp: GcpColleague;
  readonly azure: AzureColleague;
}

export const colleaguesAt = (endpoint: string): Colleagues => ({
  aws: awsColleague(endpoint),
  gcp: gcpColleague(endpoint),
  azure: azureColleague(endpoint),
});
