import type { PlacedRegion } from '../core/documents/target.ts';
import type { Failure } from '../core/failure.ts';

/** `at targets.yaml:7:11: …`: a failure's message, after the places in the specs of the region that the cloud does not have. */
export function placedMessage({ message, region }: Failure, regions: readonly PlacedRegion[] = []): string {
  const places = regions.flatMap((one) =>
    one.region === region ? [`${one.at.file}:${one.at.line}:${one.at.column}`] : [],
  );
  return places.length === 0 ? message : `at ${places.join(', ')}: ${message}`;
}

export const namesOf = (regions: readonly PlacedRegion[] = []): readonly string[] => [
  ...new Set(regions.map(({ region }) => region)),
];
