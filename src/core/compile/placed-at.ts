import type { Document, TargetDoc } from '../documents/document.ts';
import type { Located } from '../documents/tree.ts';

/** A target that lies at another place in another environment; places as people tell them, `aws/1111/eu-west-1`. */
export interface MovedTarget {
  readonly target: string;
  readonly from: string;
  readonly to: string;
}

export interface Placed {
  readonly documents: readonly Located<Document>[];
  readonly moved: readonly MovedTarget[];
}

/**
 * The documents of one environment, standing where the targets of the same names and clouds lie in another: two environments
 * are seldom at one place, and what they ask can be compared at one place only.
 */
export function placedAt(documents: readonly Located<Document>[], places: readonly TargetDoc[]): Placed {
  const moved: MovedTarget[] = [];
  const placed = documents.map((document): Located<Document> => {
    const { value } = document;
    if (value.kind !== 'Target') return document;
    const there = places.find(
      ({ metadata, spec }) => metadata.name === value.metadata.name && spec.provider === value.spec.provider,
    );
    if (there === undefined || placeOf(there) === placeOf(value)) return document;
    moved.push({ target: value.metadata.name, from: placeOf(value), to: placeOf(there) });
    const { zone: _zone, resourceGroup: _group, ...rest } = value.spec;
    return { ...document, value: { ...value, spec: { ...rest, ...whereOf(there) } } };
  });
  return { documents: placed, moved };
}

function whereOf({ spec: { account, region, zone, resourceGroup } }: TargetDoc) {
  return {
    account,
    region,
    ...(zone === undefined ? {} : { zone }),
    ...(resourceGroup === undefined ? {} : { resourceGroup }),
  };
}

const placeOf = ({ spec: { provider, account, region, zone, resourceGroup } }: TargetDoc): string =>
  [provider, account, region, zone, resourceGroup].filter((part) => part !== undefined).join('/');
