import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { inScratch } from './process/scratch.ts';
import { attackerIn } from './tamper/attacker.ts';
import { type History, histories, type Reach, reaches } from './tamper/histories.ts';
import { type Ledgers, openLedgers } from './tamper/ledgers.ts';

/** `only`: names of histories; all by default. `isBlind`: nobody reads the verdict, for tests to see that the figure can fail. */
export interface TamperOptions {
  readonly only?: readonly string[];
  readonly isBlind?: boolean;
}

/**
 * Twenty false histories, each by an attacker with the database, with the folder too, and with the key too. A tampering counts as missed
 * where `verify` neither finds it nor says that no signature, or no witness, reaches the entries it changed. With the database alone
 * that must hold without a witness.
 */
export const tamper = ({ only, isBlind = false }: TamperOptions = {}): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    const ledgers = await openLedgers(join(folder, 'store'), join(folder, 'witness.jsonl'));
    const chosen = histories.filter(({ name }) => only === undefined || only.includes(name));
    const tampered = reaches.flatMap((reach) => chosen.map((history) => ({ reach, history })));
    const missed: string[] = [];
    try {
      for (const [index, { reach, history }] of tampered.entries()) {
        const isSeen = await isNoticed(ledgers, { estate: `estate-${index}`, reach, history, isBlind });
        if (!isSeen) missed.push(`${history.name}, with the ${reach}`);
      }
    } finally {
      await ledgers.close();
    }
    for (const one of missed) console.error(`tamper: neither found nor said: ${one}`);
    return [{ name: 'tamper', value: missed.length, unit: `of ${tampered.length} tamperings neither found nor said` }];
  });

interface Tampering {
  readonly estate: string;
  readonly reach: Reach;
  readonly history: History;
  readonly isBlind: boolean;
}

async function isNoticed(ledgers: Ledgers, { estate, reach, history, isBlind }: Tampering): Promise<boolean> {
  await ledgers.write(estate);
  const before = await ledgers.verify(estate, 'witness');
  if (!before.ok) throw new Error(`${estate} was broken before anybody touched it: ${before.reason}`);
  const attacker = await attackerIn(ledgers, estate, reach);
  try {
    const changedFrom = await attacker.forge(history);
    if (isBlind) return false;
    const ways = reach === 'database' ? (['alone', 'witness'] as const) : (['witness'] as const);
    for (const way of ways) {
      const verdict = await ledgers.verify(estate, way);
      const reached = verdict.ok
        ? Math.min(verdict.signedAt ?? 0, verdict.witnessed?.at ?? Number.POSITIVE_INFINITY)
        : 0;
      // why: each entry is a second younger than the one before, and a checkpoint as old as the newest that it covers
      if (verdict.ok && changedFrom <= reached) return false;
    }
    return true;
  } finally {
    await attacker.leave();
  }
}

if (import.meta.main) for (const figure of await tamper()) console.log(JSON.stringify(figure));
