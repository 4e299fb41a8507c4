import type { Observed } from '../../../src/core/observed.ts';
import type { Accepted } from '../../../src/ports/store.ts';

/** What a takeover claims of what was seen: all that bears a mark, whichever store's. */
export const claimsOn = (seen: readonly Observed[]): readonly Accepted[] =>
  seen.flatMap(({ kind, id, signs: { mark } }): readonly Accepted[] =>
    mark === undefined
      ? []
      : [
          {
            do: 'claim',
            subject: { kind, address: mark.address, id },
            terms: { deletionPolicy: 'retain', protect: false, storeOnly: false, takenFrom: mark.store },
          },
        ],
  );
