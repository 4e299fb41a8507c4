import type { Observation } from '../observed.ts';
import type { Kind } from '../resource.ts';

/** The image of a machine as expressions see it: documented in docs/policies.md. */
export interface ImageView {
  /** Whole days since the cloud made it. Absent: the cloud does not report that. */
  readonly age?: number;
  readonly owner: string;
  readonly verified: boolean;
  readonly deprecated: boolean;
}

/** `unread`: the reason for which nobody knows the facts, a clause for people. */
export type GivenImage = ImageView | { readonly unread: string };

/** The part of a resource's view that names its image. */
interface WithImage {
  readonly kind: Kind;
  readonly image?: string;
}

const day = 86_400_000;

/** Answers for the image of a machine by the facts of one observation, and undefined for other resources. */
export function imagesBy({
  images: facts,
  at,
}: Pick<Observation, 'images' | 'at'>): (view: WithImage) => GivenImage | undefined {
  const read = new Map(facts?.read.map((fact) => [fact.image, fact]));
  const reasons = new Map(facts?.unread.map(({ image, reason }) => [image, reason]));
  return ({ kind, image }) => {
    if (kind !== 'instance') return undefined;
    if (image === undefined) return { unread: 'nobody knows its image' };
    const fact = read.get(image);
    if (fact === undefined) {
      const reason = reasons.get(image) ?? 'no observation has read it yet';
      return { unread: `nobody knows the facts of the image ${image}: ${reason}` };
    }
    const { createdAt, owner, verified, deprecated } = fact;
    const age = createdAt === undefined ? {} : { age: Math.max(0, Math.floor((at - createdAt) / day)) };
    return { ...age, owner, verified, deprecated };
  };
}
