import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { recordedCall } from '../../support/fixtures.ts';
import { openGcpStage, project, region } from '../../support/gcp-session.ts';

const stage = await openGcpStage();
after(() => stage.close());

const asked = (call: ReturnType<typeof recordedCall>): readonly string[] => call.admitted.map(({ action }) => action);

test('a region that Google Cloud does not have is named, with the way to list the others', async () => {
  const session = await stage.open();
  const answer = await session.checkRegions?.([region, 'europe-west99'], recordedCall());
  assert.ok(answer?.ok);
  assert.deepEqual(
    answer.value.map(({ kind, code, region: named }) => [kind, code, named]),
    [['terminal', 'unknown-region', 'europe-west99']],
  );
  assert.match(
    answer.value[0]?.message ?? '',
    new RegExp(`no region "europe-west99".*gcloud compute regions list --project ${project}$`),
  );
});

test('what was found is asked for once in a process, and what was not each time', async () => {
  const first = recordedCall();
  await (await stage.open()).checkRegions?.(['us-central1', 'us-central9'], first);
  assert.deepEqual(asked(first), ['regions.get', 'regions.get']);
  const again = recordedCall();
  const later = await (await stage.open()).checkRegions?.(['us-central1', 'us-central9'], again);
  assert.deepEqual(asked(again), ['regions.get']);
  assert.ok(later?.ok);
  assert.deepEqual(
    later.value.map((failure) => failure.region),
    ['us-central9'],
  );
});

test('a question that is denied has no answer, and rules nothing out', async () => {
  const session = await stage.open();
  stage.sandbox.control.faults.add({
    match: { action: 'compute.regions.get', times: 1 },
    effect: { kind: 'access-denied' },
  });
  const answer = await session.checkRegions?.(['europe-west4'], recordedCall());
  assert.deepEqual([answer?.ok, answer?.ok === false && answer.failure.code], [false, 'forbidden']);
});
