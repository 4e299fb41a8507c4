import { refused } from './errors.ts';
import type { Tags } from './records.ts';
import type { Region } from './region.ts';
import { noTags } from './tags.ts';

/**
 * An account may use a record that another account shares through RAM, but it can neither change nor delete it.
 * https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing.html
 */
export function own<T extends { readonly sharedBy?: string | undefined }>(record: T): T {
  if (record.sharedBy !== undefined) throw notYours();
  return record;
}

/** The tags that this account sees on a resource in a VPC: AWS hides the tags of a shared resource. */
export function tagsIn({ sharedBy }: { readonly sharedBy?: string | undefined }, tags: Tags = noTags): Tags {
  return sharedBy === undefined ? tags : noTags;
}

/** The account that shares this VPC; undefined: it is the region's own. */
export function sharerOf(region: Region, vpcId: string): string | undefined {
  return region.vpcs.get(vpcId)?.sharedBy;
}

/** Refuses a write to something in a VPC of another account. */
export function refuseInShared(region: Region, vpcId: string): void {
  if (sharerOf(region, vpcId) !== undefined) throw notYours();
}

/** Tags are the owner's to write, and to see. */
export function refuseTagging(region: Region, record: { readonly id: string }): void {
  if ('sharedBy' in record && record.sharedBy !== undefined) throw notYours();
  const stands = /^(?:subnet|rtb|acl|igw)-/.test(record.id);
  if (stands && 'vpcId' in record && typeof record.vpcId === 'string') refuseInShared(region, record.vpcId);
}

function notYours(): Error {
  return refused('UnauthorizedOperation', 'You are not authorized to perform this operation.');
}
