import { refused } from './errors.ts';
import type { Tags } from './records.ts';
import type { Region } from './region.ts';
import { noTags } from './tags.ts';

/**
 * What another account shares through RAM: this account may use it, and neither change nor delete it. Its tags are not shown.
 * https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing.html
 */
export function own<T extends { readonly sharedBy?: string | undefined }>(record: T): T {
  if (record.sharedBy !== undefined) throw notYours();
  return record;
}

/** What this account sees of the tags of something in a VPC: none of another account's. */
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
