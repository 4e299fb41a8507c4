import assert from 'node:assert/strict';
import type { SpellingMode } from '../../../sandbox/spelling.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId, Kind } from '../../../src/core/resource.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { edits } from '../edits.ts';
import type { Law } from '../law.ts';
import { changesBetween, created, only, revisionOf, type Stage } from '../stage.ts';
import { every, where } from '../subject.ts';
import { variants } from '../variants.ts';

/** Each row of a cloud's table in each of its ways, and then all of them mixed by chance. */
const modes: readonly SpellingMode[] = [
  ...[1, 2, 3].map((number) => ({ kind: 'way' as const, number })),
  ...Array.from({ length: 12 }, (_, index) => ({ kind: 'seed' as const, number: index + 1 })),
];

/** An object, and the other values that the spec may have for it. */
interface Made {
  readonly creation: Creation;
  readonly id: CloudId;
  readonly edit?: { readonly name: string; readonly to: Attributes[Kind] };
}

export const spellingLaws: readonly Law[] = [
  {
    name: 'in every spelling of the cloud what was created lists back without a difference, and says the same',
    kinds: where(every, ({ manners }) => manners.spells),
    hold: async (stage, kind) => {
      const made = await makeAll(stage, kind);
      const plain = await seenIn(stage, kind, { kind: 'own' }, made);
      for (const mode of modes) {
        const seen = await seenIn(stage, kind, mode, made);
        for (const [index, { creation, edit }] of made.entries()) {
          const [was, now] = [plain[index], seen[index]];
          assert.ok(was && now, `${creation.desired.address} is not listed in spelling ${mode.kind}`);
          const where = `${creation.desired.address} in spelling ${JSON.stringify(mode)}`;
          assert.deepEqual(changesBetween(kind, creation.desired.attributes, now.attributes), [], where);
          assert.deepEqual(steady(now), steady(was), where);
          if (edit === undefined) continue;
          const drift = changesBetween(kind, edit.to, now.attributes);
          assert.notDeepEqual(drift, [], `${edit.name}: ${where}`);
          assert.deepEqual(drift, changesBetween(kind, edit.to, was.attributes), `${edit.name}: ${where}`);
        }
      }
    },
  },
  {
    name: 'a change sticks, however the answers were spelled that it rests on',
    kinds: where(every, ({ manners }) => manners.spells),
    hold: async (stage, kind) => {
      const made = (await makeAll(stage, kind)).flatMap(({ edit, ...one }) => (edit ? [{ ...one, edit }] : []));
      const sticking = made.filter(({ edit }) => !stage.subject.manners.refused.includes(edit.name));
      const seen = await seenIn(stage, kind, { kind: 'seed', number: 5 }, sticking);
      const revisions = sticking.map(({ creation, edit }, index) => {
        const observed = seen[index] ?? assert.fail(`${creation.desired.address} is not listed`);
        return revisionOf(creation, observed, edit.to);
      });
      for (const revision of revisions)
        only(await stage.harness.run(() => stage.actuator(kind).update([revision], recordedCall())), 'changing');
      const after = await seenIn(stage, kind, { kind: 'own' }, sticking);
      for (const [index, { edit }] of sticking.entries()) {
        const now = after[index] ?? assert.fail(`after ${edit.name} it is not listed`);
        assert.deepEqual(changesBetween(kind, edit.to, now.attributes), [], edit.name);
      }
    },
  },
];

/** One of every variant, and one that every edit begins from. */
async function makeAll(stage: Stage, kind: Kind): Promise<readonly Made[]> {
  const { subject } = stage;
  const made: Made[] = [];
  for (const { name, fits, attributes, ...variant } of variants) {
    if (variant.kind !== kind || fits?.(subject) === false || subject.manners.unsaid.includes(name)) continue;
    const creation = stage.creation(kind, attributes(stage)) as Creation; // why: a variant's attributes are of its own kind
    made.push({ creation, id: (await created(stage, creation)).id });
  }
  for (const { name, fits, from, to, ...edit } of edits) {
    if (edit.kind !== kind || fits?.(subject) === false) continue;
    const creation = stage.creation(kind, from?.(stage)) as Creation; // why: likewise
    const change = to as (was: Attributes[Kind], stage: Stage) => Attributes[Kind]; // why: likewise
    const { id } = await created(stage, creation);
    made.push({ creation, id, edit: { name, to: change(creation.desired.attributes, stage) } });
  }
  assert.ok(made.length > 0);
  return made;
}

/** By the listing, and the same by ids. */
async function seenIn(
  stage: Stage,
  kind: Kind,
  mode: SpellingMode,
  made: readonly Made[],
): Promise<readonly (Observed | undefined)[]> {
  stage.harness.spell?.(mode);
  const listed = new Map<CloudId, Observed>((await stage.listed(kind)).map((each) => [each.id, each]));
  const ids = made.map(({ id }) => id);
  const read = await stage.harness.run(() => stage.actuator(kind).read(ids, recordedCall()));
  return read.map((result, index) => {
    const one = only([result], 'reading');
    const other = listed.get(ids[index] ?? '');
    assert.deepEqual(one && steady(one), other && steady(other), `${ids[index]} in spelling ${JSON.stringify(mode)}`);
    return other;
  });
}

/** Without the cloud's own words, which a removal says again. */
const steady = ({ condition: { version: _, empty: __, ...condition }, ...observed }: Observed) => ({
  ...observed,
  condition,
});
