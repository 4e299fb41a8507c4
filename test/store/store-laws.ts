import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import type { Harness, Laws } from './laws/bench.ts';
import { birthLaws } from './laws/birth-laws.ts';
import { entryPageLaws } from './laws/entry-page-laws.ts';
import { eventLaws } from './laws/event-laws.ts';
import { figureLaws } from './laws/figure-laws.ts';
import { fleetLaws } from './laws/fleet-laws.ts';
import { generationLaws } from './laws/generation-laws.ts';
import { guardLaws } from './laws/guard-laws.ts';
import { idempotentResponseLaws } from './laws/idempotent-response-laws.ts';
import { inventoryLaws } from './laws/inventory-laws.ts';
import { leaseLaws } from './laws/lease-laws.ts';
import { ledgerLaws } from './laws/ledger-laws.ts';
import { lifetimeLaws } from './laws/lifetime-laws.ts';
import { limitLaws } from './laws/limit-laws.ts';
import { openIntentLaws } from './laws/open-intent-laws.ts';
import { operationLaws } from './laws/operation-laws.ts';
import { patchLaws } from './laws/patch-laws.ts';
import { peopleLaws } from './laws/people-laws.ts';
import { proposalLaws } from './laws/proposal-laws.ts';
import { reconcileLaws } from './laws/reconcile-laws.ts';
import { resourceNoteLaws } from './laws/resource-note-laws.ts';
import { rowLaws } from './laws/row-laws.ts';
import { rowQueryLaws } from './laws/row-query-laws.ts';
import { scopeCostLaws } from './laws/scope-cost-laws.ts';
import { scopeCountLaws } from './laws/scope-count-laws.ts';
import { sourceLaws } from './laws/source-laws.ts';
import { tokenLaws } from './laws/token-laws.ts';
import { tombstoneLaws } from './laws/tombstone-laws.ts';
import { touchLaws } from './laws/touch-laws.ts';

/** Runs every law over a database. `harness` is asked for once, within the first test. */
export function storeLaws(name: string, harness: () => Promise<Harness>): void {
  let opened: Promise<{ readonly harness: Harness; readonly store: Store; readonly other: Store }> | undefined;
  const open = async () => {
    const made = await harness();
    return { harness: made, store: await made.connect(), other: await made.connect() };
  };
  const laws: Laws = {
    ...ledgerLaws,
    ...limitLaws,
    ...scopeCostLaws,
    ...scopeCountLaws,
    ...leaseLaws,
    ...inventoryLaws,
    ...tombstoneLaws,
    ...birthLaws,
    ...operationLaws,
    ...generationLaws,
    ...fleetLaws,
    ...openIntentLaws,
    ...reconcileLaws,
    ...figureLaws,
    ...entryPageLaws,
    ...peopleLaws,
    ...lifetimeLaws,
    ...patchLaws,
    ...resourceNoteLaws,
    ...rowLaws,
    ...rowQueryLaws,
    ...sourceLaws,
    ...touchLaws,
    ...tokenLaws,
    ...idempotentResponseLaws,
    ...proposalLaws,
    ...eventLaws,
    ...guardLaws,
  };
  for (const [index, [law, run]] of Object.entries(laws).entries())
    test(`${name}: ${law}`, async () => {
      opened ??= open();
      const { harness, store, other } = await opened;
      const { lapse, later, now } = harness;
      const estate = `estate-${index}`;
      await run({ estate, store, other, lapse, later, now });
      const verdict = await store.audit.verify(estate, { unsignedLimitMs: Number.POSITIVE_INFINITY });
      assert.ok(verdict.ok, verdict.ok ? '' : verdict.reason);
    });
}
