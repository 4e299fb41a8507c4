import type { Result } from '../../src/core/failure.ts';
import type { ImageFact, ImageFacts, UnreadImage } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { each } from './each.ts';

/** The facts of one image, or the reason why there are none. */
export type FactAnswer = Omit<ImageFact, 'image'> | Omit<UnreadImage, 'image'>;

interface Source {
  readonly cloud: string;
  /** Texts with one canonical spelling are one image. */
  readonly canonical: (image: string) => string;
  /** Asks once for each image, by one of its spellings. A `ListingFailed` becomes an entry of `unread`; other errors are thrown. */
  readonly factOf: (image: string) => Promise<FactAnswer>;
}

/** Facts of images of a cloud with one call for each image. */
export async function factsOfEach(
  images: readonly string[],
  { cloud, canonical, factOf }: Source,
  call: Call,
): Promise<Pick<ImageFacts, 'read' | 'unread'>> {
  const alike = [...Map.groupBy(new Set(images), canonical).values()];
  const answers = await each(alike, async ([image = '']) => ({ ok: true, value: await answerTo(factOf(image)) }));
  call.signal.throwIfAborted();
  const told = alike.flatMap((texts, at) => texts.map((image) => ({ image, ...answerIn(answers[at], cloud) })));
  return {
    read: told.flatMap((one): readonly ImageFact[] => ('reason' in one ? [] : [one])),
    unread: told.flatMap((one): readonly UnreadImage[] => ('reason' in one ? [one] : [])),
  };
}

async function answerTo(fact: Promise<FactAnswer>): Promise<FactAnswer> {
  try {
    return await fact;
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
    return { reason: `the image was not read: ${error.code}: ${error.message}` };
  }
}

const answerIn = (answer: Result<FactAnswer> | undefined, cloud: string): FactAnswer =>
  answer?.ok ? answer.value : { reason: `${cloud} was not asked for the image` };
