import assert from 'node:assert/strict';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import type { TroubleKind } from '../harness.ts';
import type { Law } from '../law.ts';
import { created, failureKinds, look, only, seenAfterCreation } from '../stage.ts';
import { every, just, where } from '../subject.ts';

export const listingLaws: readonly Law[] = [
  {
    name: 'what others made is listed too, without a mark',
    kinds: every,
    hold: async (stage, kind) => {
      const id = await stage.harness.byHand.make(kind, stage.home.network);
      const seen = await look(stage, kind, id);
      assert.ok(seen, 'it is listed');
      assert.equal(seen.signs.mark, undefined);
    },
  },
  {
    name: 'what comes with a network says that it does',
    kinds: where(just('group', 'firewall-rule'), ({ manners }) => manners.bearsRules),
    hold: async (stage, kind) => {
      const network = await stage.harness.byHand.make('network', undefined);
      const born = (await stage.listed(kind)).filter(
        ({ attributes }) => 'network' in attributes && attributes.network === network,
      );
      assert.ok(born.length > 0, 'a network brings something with it');
      for (const { signs } of born) assert.equal(signs.origin?.why, 'provider-default');
      for (const { signs } of born) assert.notEqual(signs.origin?.detail, '');
    },
  },
  {
    name: 'the network that an account is born with says that it is',
    kinds: just('network'),
    hold: async (stage, kind) => {
      const id = await stage.harness.byHand.defaultNetwork?.();
      if (id === undefined) return;
      assert.equal((await look(stage, kind, id))?.signs.origin?.why, 'provider-default');
      const own = await look(stage, kind, stage.home.network);
      assert.deepEqual([own !== undefined, own?.signs.origin], [true, undefined]);
    },
  },
  {
    name: 'a listing with short pages is whole',
    kinds: every,
    hold: async (stage, kind) => {
      for (let i = 0; i < 3; i++) await created(stage, stage.creation(kind));
      const whole = idsOf(await stage.listed(kind));
      stage.harness.trouble.strike('reads', 'short-page');
      assert.deepEqual(idsOf(await stage.listed(kind)), whole);
    },
  },
  ...(['throttle', 'fail', 'refuse', 'lost-before'] as const).flatMap((trouble) => [
    fails(trouble),
    neverShort(trouble),
  ]),
  {
    name: 'reading by id says what the listing says',
    kinds: every,
    hold: async (stage, kind) => {
      const first = await seenAfterCreation(stage, stage.creation(kind));
      const second = await seenAfterCreation(stage, stage.creation(kind));
      const read = await stage.harness.run(() => stage.actuator(kind).read([second.id, first.id], recordedCall()));
      assert.deepEqual(
        read.map((result) => only([result], 'reading')?.attributes),
        [second.attributes, first.attributes],
      );
      assert.deepEqual(
        read.map((result) => only([result], 'reading')?.signs.mark),
        [second.signs.mark, first.signs.mark],
      );
    },
  },
  {
    name: 'reading what never was answers nothing, and does not hide the others',
    kinds: every,
    hold: async (stage, kind) => {
      const { id } = await seenAfterCreation(stage, stage.creation(kind));
      const ids = [stage.harness.words.nowhere(kind), id];
      const read = await stage.harness.run(() => stage.actuator(kind).read(ids, recordedCall()));
      assert.deepEqual(
        read.map((result) => only([result], 'reading')?.id),
        [undefined, id],
      );
    },
  },
  {
    name: 'reading that fails fails for every id, and proves nothing gone',
    kinds: every,
    hold: async (stage, kind) => {
      const { id } = await seenAfterCreation(stage, stage.creation(kind));
      stage.harness.trouble.strike('reads', 'refuse');
      const read = await stage.harness.run(() => stage.actuator(kind).read([id, id], recordedCall()));
      assert.deepEqual(failureKinds(read), ['terminal', 'terminal']);
    },
  },
  {
    name: 'other spellings of the same are not changes',
    kinds: just('firewall-rule'),
    hold: async (stage) => {
      for (const { name, match, add } of stage.harness.byHand.spellings) {
        const id = await add(stage.home);
        const seen = (await look(stage, 'firewall-rule', id))?.attributes.match;
        assert.deepEqual({ protocol: seen?.protocol, ports: seen?.ports, peers: seen?.peers }, match, name);
      }
    },
  },
];

function fails(trouble: TroubleKind): Law {
  return {
    name: `a listing that meets ${trouble} fails`,
    kinds: every,
    hold: async (stage, kind) => {
      stage.harness.trouble.strike('reads', trouble);
      await assert.rejects(stage.listed(kind), ListingFailed);
    },
  };
}

/** Whichever of its requests fails, a listing is whole or it is none; and the last page counts as much as the first. */
function neverShort(trouble: TroubleKind): Law {
  return {
    name: `a listing of which one page meets ${trouble} is never a shorter listing`,
    kinds: every,
    hold: async (stage, kind) => {
      for (let i = 0; i < 3; i++) await created(stage, stage.creation(kind));
      const call = recordedCall();
      stage.harness.trouble.strike('reads', 'short-page');
      const whole = idsOf(await stage.listed(kind, call));
      const outcomes: ('whole' | 'failed')[] = [];
      for (let nth = 1; nth <= call.admitted.length; nth++) {
        stage.harness.trouble.calm();
        stage.harness.trouble.strike('reads', 'short-page');
        stage.harness.trouble.strike('reads', trouble, nth);
        const again = recordedCall();
        const ids = await stage.listed(kind, again).then(idsOf, (error: unknown) => error);
        assert.equal(again.reported.length, again.admitted.length, 'what has ended asks for nothing more');
        if (!(ids instanceof ListingFailed)) assert.deepEqual(ids, whole, `request ${nth}`);
        outcomes.push(ids instanceof ListingFailed ? 'failed' : 'whole');
      }
      // why: a kind inline in its parent has as many pages as there are parents
      const least = stage.subject.manners.owned[kind] === 'parent' ? 1 : 3;
      assert.ok(outcomes.filter((outcome) => outcome === 'failed').length >= least, 'its pages are among them');
    },
  };
}

const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id).toSorted();
