import { maxAttempts } from '../../src/core/failure.ts';
import type { UnlistedSetting } from '../../src/core/observed.ts';
import type { ListedSetting } from '../../src/core/resource.ts';
import { compareText } from '../../src/core/text.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';

/** Settings whose listing failed, and how often in a row. */
export type SettingTries = Map<ListedSetting, number>;

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
 *   throttled, or may pass: before the last try | it fails the kind's listing, which is asked again
 *   the same: at the last try                   | unlisted
 *   an abort                                    | thrown
 */
export function settingListings(tries: SettingTries, { settings }: Call): SettingListings {
  const unlisted: UnlistedSetting[] = [];
  return {
    async ask(setting, listing) {
      if (!settings?.has(setting)) return undefined;
      try {
        const items = await listing();
        tries.delete(setting);
        return items;
      } catch (error) {
        if (!(error instanceof ListingFailed)) throw error;
        const failures = (tries.get(setting) ?? 0) + 1;
        tries.set(setting, failures);
        if (mayPass(error) && failures < maxAttempts) throw error;
        unlisted.push({ setting, code: error.code, reason: error.message });
        return undefined;
      }
    },
    unlisted: () => unlisted.toSorted((a, b) => compareText(a.setting, b.setting)),
  };
}

const mayPass = ({ failure }: ListingFailed): boolean =>
  failure?.kind === 'throttled' || failure?.kind === 'retryable' || failure?.kind === 'ambiguous';
