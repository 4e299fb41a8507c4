// The whole life of an estate through the command line, against an emulator of AWS that others have written: what our
// sandbox and our provider believe alike may still be wrong. Where moto is not as AWS is, a comment says so.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  adopts,
  creates,
  hasNothingToDo,
  healsEditsAtAPrompt,
  healsEditsOfAnSdk,
  leavesNothing,
  moves,
  provesEveryCall,
  refusesBadSpecs,
  resizes,
  retains,
  scalesDown,
  witnesses,
} from './support/acts.ts';
import { type Life, startLife } from './support/life.ts';
import { motoMissing } from './support/moto.ts';

if (motoMissing !== undefined)
  process.stderr.write(`\n!!! SKIPPED, nothing was tried against moto: ${motoMissing}\n\n`);
const skip = motoMissing !== undefined && !process.env['CI'] ? motoMissing : false;

describe('a life against moto', { skip }, () => {
  let life: Life | undefined;
  let broken = false;

  before(async () => {
    assert.equal(motoMissing, undefined, 'in CI there must be a moto');
    life = await startLife();
  });
  after(() => life?.end());

  /** A step rests on those before it: after the first that fails there is nothing to learn from the rest. */
  const step = (name: string, act: (life: Life) => Promise<void>): void =>
    void it(name, async (t) => {
      if (broken || life === undefined) return t.skip('an earlier step failed');
      process.stdout.write(`  ${name}\n`);
      broken = true;
      await act(life);
      broken = false;
    });

  step('bad specs meet no cloud', refusesBadSpecs);
  step('an apply makes it all', creates);
  step('a second plan is empty, and a second apply writes nothing', hasNothingToDo);
  step("edits by Amazon's SDK are named and healed", healsEditsOfAnSdk);
  step("edits by Amazon's command line are named and healed", healsEditsAtAPrompt);
  step('a rule moves to ports that overlap: added, seen, and only then removed', moves);
  step('a machine changes its size', resizes);
  step('three machines become one, within limits', scalesDown);
  step('what was made by hand is adopted, and nothing of it made again', adopts);
  step('without its documents it is retained, and rules go within limits', retains);
  step('pruned, nothing of ours is left and nothing of others is touched', leavesNothing);
  step('the ledger is whole, and has every call that wrote', provesEveryCall);
  step('a bucket keeps checkpoints, each once, and overwrites none', witnesses);
});
