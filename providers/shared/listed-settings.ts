import { backoff, maxAttempts } from '../../src/core/failure.ts';
import type { UnlistedSetting } from '../../src/core/observed.ts';
import type { ListedSetting } from '../../src/core/resource.ts';
import { compareText } from '../../src/core/text.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';

/** Listings that only settings need. */
export interface SettingListings {
  /** Undefined where the call does not ask for the setting, or where its listing failed. */
  ask<T>(setting: ListedSetting, listing: () => Promise<readonly T[]>): Promise<readonly T[] | undefined>;
  /** The settings whose listing failed, by name. */
  unlisted(): readonly UnlistedSetting[];
}

/**
 * Lists what the call asks for: one listing each, and none where it asks for nothing. A listing that fails is unlisted, and does not
 * fail the kind's own.
 *
 *   the listing failed                          | then
 *   --------------------------------------------+-----------------------------------------------------
 *   denied, or otherwise for good               | unlisted
 *   throttled, or may pass: before the last try | it alone is asked again
 *   the same: at the last try                   | unlisted
 *   an abort                                    | thrown
 */
export function settingListings({ clock }: { readonly clock: Clock }, call: Call): SettingListings {
  const unlisted: UnlistedSetting[] = [];
  return {
    async ask(setting, listing) {
      if (!call.settings?.has(setting)) return undefined;
      const listed = await listWithRetries(listing, clock, call);
      if (!(listed instanceof ListingFailed)) return listed;
      unlisted.push({ setting, code: listed.code, reason: listed.message });
      return undefined;
    },
    unlisted: () => unlisted.toSorted((a, b) => compareText(a.setting, b.setting)),
  };
}

/** Lists again while that may help. Returns the failure of the last try, and throws any other error. */
export async function listWithRetries<T>(
  listing: () => Promise<T>,
  clock: Clock,
  { signal }: Pick<Call, 'signal'>,
): Promise<T | ListingFailed> {
  for (let attempt = 1; ; attempt += 1) {
    const listed = await listing().catch((error: unknown) => {
      if (error instanceof ListingFailed) return error;
      throw error;
    });
    const waitMs = listed instanceof ListingFailed && attempt < maxAttempts ? waitAfter(listed, attempt) : undefined;
    if (waitMs === undefined) return listed;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  }
}

/** Milliseconds until it is worth asking again; undefined where it never is. */
function waitAfter({ failure }: ListingFailed, attempt: number): number | undefined {
  switch (failure?.kind) {
    case 'throttled':
      // why: the report of the answer has slowed the rate limit, and the next request waits for it there
      return 0;
    case 'ambiguous':
      return backoff(attempt, meanJitter);
    case 'retryable':
      return Math.max(failure.retryAfterMs ?? 0, backoff(attempt, meanJitter));
    case 'conflict':
    case 'not-found':
    case 'terminal':
    case undefined:
      return undefined;
  }
}

const meanJitter = 0.5;
