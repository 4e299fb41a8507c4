import type { Observation } from '../observed.ts';
import { dayOf } from '../render/wording.ts';
import type { Kind } from '../resource.ts';

/** The image of a machine as expressions see it: documented in docs/policies.md. */
interface ImageView {
  /** Whole days since the cloud made it. Absent: the cloud does not report that. */
  readonly age?: number;
  readonly owner: string;
  readonly verified: boolean;
  readonly deprecated: boolean;
}

/** `the image is of 2026-05-11, owner 137112412989, verified`. It has no age, which would be another text each day. */
export const imageText = ({ createdAt, owner, verified, deprecated }: KnownImage): string =>
  `the image is of ${createdAt === undefined ? 'an unknown day' : dayOf(createdAt)}, owner ${owner}, ${verified ? 'verified' : 'not verified'}${deprecated ? ', deprecated' : ''}`;

/** `createdAt`: ms since the epoch, for people; expressions see the age. */
interface KnownImage extends ImageView {
  readonly createdAt?: number;
}

/**
 * `unread`: the reason for which the facts are unknown, a clause for people. `isUnasked`: the plan is of a stored observation that did not
 * ask for them; the next observation does, before anything is launched.
 */
export type GivenImage = KnownImage | { readonly unread: string; readonly isUnasked?: true };

/** The part of a resource's view that names its image. */
interface WithImage {
  readonly kind: Kind;
  readonly image?: string;
}

/** `isStored`: see PlanInput. */
interface ImageSource {
  readonly observation: Pick<Observation, 'images' | 'at'>;
  readonly isStored?: boolean | undefined;
}

const day = 86_400_000;

/** Answers for the image of a machine by the facts of one observation, and undefined for other resources. */
export function imagesBy({
  observation: { images: facts, at },
  isStored = false,
}: ImageSource): (view: WithImage) => GivenImage | undefined {
  const read = new Map(facts?.read.map((fact) => [fact.image, fact]));
  const reasons = new Map(facts?.unread.map(({ image, reason }) => [image, reason]));
  return ({ kind, image }) => {
    if (kind !== 'instance') return undefined;
    if (image === undefined) return { unread: 'its image is unknown' };
    const fact = read.get(image);
    if (fact === undefined) {
      const reason = reasons.get(image);
      const unread = `the facts of the image ${image} are unknown: ${reason ?? 'no observation has read them yet'}`;
      return reason === undefined && isStored ? { unread, isUnasked: true } : { unread };
    }
    const { createdAt, owner, verified, deprecated } = fact;
    const age = createdAt === undefined ? {} : { createdAt, age: Math.max(0, Math.floor((at - createdAt) / day)) };
    return { ...age, owner, verified, deprecated };
  };
}
