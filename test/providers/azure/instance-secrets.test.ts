import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { secretsOf, withoutSecrets } from '../../../providers/azure/instance/launch.ts';
import type { Effect } from '../../../sandbox/faults.ts';
import { assertHidden, canary } from '../../support/canary.ts';
import { type RecordedCall, recordedCall, sshKey } from '../../support/fixtures.ts';
import { byHand, codes, must } from './estate.ts';
import { compute, type Land, machineOf, machinesSeen, makeLand } from './machines.ts';

const base64 = Buffer.from(canary, 'utf8').toString('base64');
const message = `the value '${base64}' of customData is not allowed, nor is ${canary}`;
const refusal = { kind: 'error', code: 'InvalidParameter', status: 400, message } as const;

describe('what a machine is launched with', () => {
  let land: Land;
  const kept: string[] = [];
  before(async () => {
    land = await makeLand();
  });
  after(() => land.stage.close());

  const telling = (): RecordedCall => ({
    ...recordedCall(),
    secret: async () => ({ userData: canary, access: { user: 'ops', sshKeys: [sshKey], password: `Aa1${canary}` } }),
    operations: { keep: async (_, state) => void kept.push(state), drop: async () => {} },
  });

  async function refused(name: string, effect: Effect) {
    const { faults } = land.stage.sandbox.control;
    faults.add({ match: { action: 'virtualMachines.createOrUpdate', nth: 1 }, effect });
    const call = telling();
    const results = await land.session.actuators.instance.create([machineOf(land, name)], call);
    faults.clear();
    assertHidden(results, call.reported);
    return results;
  }

  test('is told by no answer and no report where the cloud repeats it', async () => {
    const results = await refused('quiet-0', refusal);
    assert.deepEqual(codes(results), ['terminal InvalidParameter']);
    assert.match(JSON.stringify(results), /the value '…' of customData is not allowed, nor is …/);
  });

  test('nor where the machine stands and has failed', async () => {
    const results = await refused('quiet-2', { ...refusal, kind: 'operation-error' });
    assert.deepEqual(codes(results), ['ok']);
    assertHidden(await machinesSeen(await land.stage.open()));
  });

  test('is in no tag, no listing, no report and no kept operation', async () => {
    const call = telling();
    must((await land.session.actuators.instance.create([machineOf(land, 'quiet-1')], call))[0]);
    assert.ok(kept.length > 0, 'operations were kept');
    const { tags } = await byHand(land.stage, 'GET', compute('virtualMachines/quiet-1'));
    const disk = await byHand(land.stage, 'GET', compute('disks/quiet-1-disk'));
    assertHidden(kept, call.reported, tags, disk, await machinesSeen(await land.stage.open()));
  });
});

describe('words of a failure', () => {
  const cases = [
    { name: 'a secret', told: `is ${canary} wrong`, want: 'is … wrong' },
    { name: 'a secret cut short', told: `is ${canary.slice(0, 13)}`, want: 'is …' },
    { name: 'its base64 cut on both ends', told: `is ${base64.slice(2, 16)}`, want: 'is …' },
    {
      name: 'one line of several',
      told: 'is second line-of-it!',
      secret: 'first\nsecond line-of-it\nthird',
      want: 'is …!',
    },
    { name: 'a short secret', told: 'is pass-9!', secret: 'pass-9', want: 'is …!' },
    { name: 'nothing of it', told: 'the size is not offered here', want: 'the size is not offered here' },
    { name: 'anything, where there is no secret', told: 'as it is', secret: '', want: 'as it is' },
  ];
  for (const { name, told, secret = canary, want } of cases) {
    test(`${name}: ${want}`, () => {
      const secrets = secretsOf({ userData: secret });
      assert.equal(withoutSecrets({ kind: 'terminal', code: 'X', message: told }, secrets).message, want);
    });
  }
});
