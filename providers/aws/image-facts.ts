import type { Image } from '@aws-sdk/client-ec2';
import type { ImageFact, ImageFacts } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { chunks } from '../shared/chunks.ts';
import { each } from '../shared/each.ts';
import { listWithRetries } from '../shared/listed-settings.ts';
import { storeTime } from '../shared/store-time.ts';
import type { Client } from './client.ts';
import { pages } from './pages.ts';
import { most } from './rate-limits.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';

type Facts = Pick<ImageFacts, 'read' | 'unread'>;

/**
 * Facts of images, by one listing for each 200. A filter names them: by `ImageIds`, one unknown id fails the answer for all.
 *
 *   fact       | of DescribeImages
 *   -----------+-------------------------------------------------------------
 *   owner      | OwnerId
 *   verified   | ImageOwnerAlias is one that AWS gives to verified providers
 *   deprecated | DeprecationTime is over
 *   createdAt  | CreationDate
 *
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Image.html
 */
export async function imageFacts(
  images: readonly string[],
  { client, clock }: Pick<Scope, 'client' | 'clock'>,
  call: Call,
): Promise<Facts> {
  const asked = [...new Set(images)];
  const now = storeTime(call, clock).latest;
  const parts = chunks(asked.filter(isId), most.filterValues);
  const answers = await each(parts, async (ids) => ({
    ok: true,
    value: await listWithRetries(() => listed(ids, client, call), clock, call),
  }));
  call.signal.throwIfAborted();
  const found = parts.map((ids, at) => {
    const answer = answers[at];
    return factsOf(ids, answer?.ok ? answer.value : undefined, now);
  });
  const others = asked.filter((image) => !isId(image));
  return {
    read: found.flatMap(({ read }) => read),
    unread: [
      ...found.flatMap(({ unread }) => unread),
      ...others.map((image) => ({ image, reason: 'AWS has no image with such an id' })),
    ],
  };
}

/** Only an exact id: a filter also takes wildcards. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html */
const isId = (image: string): boolean => /^ami-[0-9a-f]+$/.test(image);

/** With a page size, EC2 filters each page of all public images. Without one, it reads the named images only. */
async function listed(ids: readonly string[], client: Client, call: Call): Promise<readonly Image[]> {
  const Filters = [{ Name: 'image-id', Values: [...ids] }];
  const found: Image[] = [];
  const ask = async (NextToken: string | undefined) => {
    const command = new ec2.DescribeImagesCommand({ Filters, IncludeDeprecated: true, NextToken });
    const answer = await client.send('DescribeImages', command, call);
    if (!answer.ok) return answer;
    return { ok: true as const, value: { items: answer.value.Images ?? [], next: answer.value.NextToken } };
  };
  for await (const page of pages(ask, call)) found.push(...page);
  return found;
}

function factsOf(ids: readonly string[], images: readonly Image[] | ListingFailed | undefined, now: number): Facts {
  const unreadFor = (reason: string): Facts => ({ read: [], unread: ids.map((image) => ({ image, reason })) });
  if (images === undefined) return unreadFor('EC2 was not asked for images');
  if (images instanceof ListingFailed) return unreadFor(`images were not listed: ${images.code}: ${images.message}`);
  const byId = new Map(images.map((image) => [image.ImageId ?? '', image]));
  const read = ids.flatMap((id) => factOf(id, byId.get(id), now));
  const known = new Set(read.map(({ image }) => image));
  const reason = 'EC2 lists no such image for this account';
  return { read, unread: ids.filter((id) => !known.has(id)).map((image) => ({ image, reason })) };
}

function factOf(image: string, found: Image | undefined, now: number): readonly ImageFact[] {
  if (found?.OwnerId === undefined) return [];
  const createdAt = Date.parse(found.CreationDate ?? '');
  return [
    {
      image,
      owner: found.OwnerId,
      verified: aliases.has(found.ImageOwnerAlias ?? ''),
      deprecated: Date.parse(found.DeprecationTime ?? '') <= now,
      ...(Number.isNaN(createdAt) ? {} : { createdAt }),
    },
  ];
}

/**
 * Aliases of Amazon and of providers that it has verified. Only AWS sets them. An image of `aws-backup-vault` is the backup of a machine, and
 * the content is that of the machine's owner. https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/sharing-amis.html#verified-ami-provider,
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ImageCriterion.html
 */
const aliases: ReadonlySet<string> = new Set(['amazon', 'aws-marketplace']);
