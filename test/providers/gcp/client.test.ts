import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { markLabels } from '../../../providers/gcp/marks/labels.ts';
import type { CloudCredential } from '../../../src/core/cloud-credential.ts';
import type { Failure, Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { creationOf, desiredOf, type RecordedCall, recordedCall } from '../../support/fixtures.ts';
import { type Asked, refusal, type Scripted, type ScriptedCloud, scriptedCloud } from './scripted-cloud.ts';

const network = () =>
  creationOf(
    desiredOf('network', {
      address: 'gcp/acme/global/network/core',
      name: 'core',
      attributes: { internet: true, labels: {} },
    }),
    'intent-1',
  );

const machine = () =>
  creationOf(
    desiredOf('instance', {
      address: 'gcp/acme/europe-west1-b/instance/web-0',
      name: 'web-0',
      attributes: {
        placement: { subnet: 'projects/acme/regions/europe-west1/subnetworks/core-app#9', publicIp: false },
        groups: ['tag:core-all'],
        machine: { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small', power: 'running' },
        boot: { userData: 'sha256:1' },
        labels: {},
      },
    }),
    'intent-2',
  );

async function against<T>(answer: (asked: Asked) => Scripted, work: (cloud: ScriptedCloud) => Promise<T>): Promise<T> {
  const cloud = await scriptedCloud(answer);
  try {
    return await work(cloud);
  } finally {
    await cloud.close();
  }
}

const identified = (answer: (asked: Asked) => Scripted, call?: RecordedCall): Promise<Result<string>> =>
  against(answer, async (cloud) => (await cloud.open()).identify(call ?? recordedCall()));

const failureOf = (result: Result<unknown> | undefined): Failure => {
  assert.ok(result?.ok === false, JSON.stringify(result));
  return result.failure;
};

const created = (answer: (asked: Asked) => Scripted, call = recordedCall()): Promise<Failure> =>
  against(answer, async (cloud) => {
    const session = await cloud.open();
    const [result] = await session.actuators.network.create([network()], call);
    return failureOf(result);
  });

describe('what is sent', () => {
  test('nobody’s token, where an endpoint is given and no credentials', () =>
    against(
      () => ({ body: { name: 'acme' } }),
      async (cloud) => {
        await (await cloud.open()).identify(recordedCall());
        assert.deepEqual(
          cloud.asked.map(({ method, path, authorization }) => [method, path, authorization]),
          [['GET', '', 'Bearer sandbox']],
        );
      },
    ));

  test('by two sessions at once: to each its own', () =>
    against(
      () => ({ body: { name: 'one' } }),
      (one) =>
        against(
          () => ({ body: { name: 'two' } }),
          async (two) => {
            const sessions = [await one.open(), await two.open(), await one.open(), await two.open()];
            const names = await Promise.all(sessions.map((session) => session.identify(recordedCall())));
            assert.deepEqual(
              names.map((name) => name.ok && name.value),
              ['one', 'two', 'one', 'two'],
            );
          },
        ),
    ));

  test('once: the SDK tries nothing again by itself', () =>
    against(
      () => refusal(503, 'backendError'),
      async (cloud) => {
        const answer = await (await cloud.open()).identify(recordedCall());
        assert.equal(failureOf(answer).kind, 'retryable');
        assert.equal(cloud.asked.length, 1);
      },
    ));

  test('nothing, where the credentials are no good; and the failure names no secret', () =>
    against(
      () => ({ body: { name: 'acme' } }),
      async (cloud) => {
        const privateKey = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0LWtleQ==\n-----END PRIVATE KEY-----\n';
        const secret = (): CloudCredential => ({
          cloud: 'gcp',
          projectId: 'acme',
          clientEmail: 'robot@acme.iam.gserviceaccount.com',
          privateKey,
        });
        const session = await cloud.open({ credentials: { secret } });
        const failure = failureOf(await session.identify(recordedCall()));
        assert.deepEqual([failure.kind, failure.code], ['terminal', 'credentials']);
        assert.doesNotMatch(JSON.stringify(failure), /c2VjcmV0|PRIVATE KEY/);
        assert.deepEqual(cloud.asked, []);
      },
    ));
});

describe('what comes back', () => {
  test('too many requests: the rate limit waits until the minute ends', async () => {
    const failure = failureOf(await identified(() => refusal(403, 'rateLimitExceeded')));
    assert.deepEqual([failure.kind, failure.kind === 'throttled' && failure.retryAfterMs], ['throttled', 45_000]);
  });
  test('too many requests: or as long as the cloud says', async () => {
    const failure = failureOf(
      await identified(() => ({ ...withHeader(refusal(429, 'rateLimitExceeded'), 'retry-after', '7') })),
    );
    assert.equal(failure.kind === 'throttled' && failure.retryAfterMs, 7000);
  });
  test('no permission: terminal, with the cloud’s words', async () => {
    const failure = failureOf(await identified(() => refusal(403, 'forbidden', "Required 'compute.projects.get'")));
    assert.deepEqual([failure.kind, failure.message], ['terminal', "Required 'compute.projects.get'"]);
  });
  test('a lost answer to a read may be asked for again', async () =>
    assert.equal(failureOf(await identified(() => 'lost')).kind, 'retryable'));
  test('a lost answer to a write is ambiguous', async () =>
    assert.equal((await created(() => 'lost')).kind, 'ambiguous'));
  test('an answer to a write that cannot be read is ambiguous', async () =>
    assert.equal((await created(() => ({ body: '<html>' }))).kind, 'ambiguous'));
  test('an answer to a write that names no operation is ambiguous', async () =>
    assert.equal((await created(() => ({ body: { kind: 'compute#operation' } }))).code, 'NoOperation'));
  test('an answer to a read that cannot be read may be asked for again', async () =>
    assert.equal(failureOf(await identified(() => ({ body: '<html>' }))).kind, 'retryable'));
  test('nobody listens there: nothing was sent, so it may be sent again', async () => {
    const cloud = await scriptedCloud(() => 'lost');
    const session = await cloud.open();
    await cloud.close();
    const [result] = await session.actuators.network.create([network()], recordedCall());
    assert.equal(failureOf(result).kind, 'retryable');
  });
  test('a failure without end is reported as one', async () => {
    const call = recordedCall();
    await identified(() => refusal(403, 'forbidden'), call);
    assert.deepEqual(
      call.reported.map(({ request, answer }) => [request.action, answer.failure?.code]),
      [['projects.get', 'forbidden']],
    );
  });
});

function withHeader(said: Scripted, name: string, value: string): Exclude<Scripted, string> {
  assert.ok(typeof said !== 'string');
  return { ...said, headers: { [name]: value } };
}

describe('secrets', () => {
  test('what a machine is given is in the request, and in no failure or report, though the cloud repeats it', () =>
    against(
      ({ body }) =>
        refusal(400, 'invalid', `Invalid value: '${JSON.parse(body || '{}')?.metadata?.items?.[0]?.value}'`),
      async (cloud) => {
        const call = recordedCall();
        const session = await cloud.open();
        const [result] = await session.actuators.instance.create([machine()], call);
        assert.match(cloud.asked[0]?.body ?? '', /#!\/bin\/sh/);
        assert.equal(failureOf(result).kind, 'terminal');
        assert.doesNotMatch(JSON.stringify([result, call.reported]), /#!\/bin\/sh|echo gcp/);
      },
    ));
});

test('an identity is taken away in so many words: the SDK leaves out what says nothing', () => {
  const path = 'projects/acme/zones/europe-west1-b/instances/web-0';
  const operation = { kind: 'compute#operation', name: 'operation-1', status: 'DONE', zone: 'zones/europe-west1-b' };
  const { mark, desired } = machine();
  const standing = {
    id: '77',
    name: 'web-0',
    status: 'TERMINATED',
    zone: 'zones/europe-west1-b',
    selfLink: path,
    labels: markLabels(mark),
    serviceAccounts: [{ email: 'web@acme.iam.gserviceaccount.com', scopes: [] }],
  };
  return against(
    ({ method }) => ({ body: method === 'GET' ? standing : operation }),
    async (cloud) => {
      const observed: Observed<'instance'> = {
        kind: 'instance',
        id: `${path}#77`,
        name: 'web-0',
        attributes: { ...desired.attributes, machine: { ...desired.attributes.machine, power: 'stopped' } },
        signs: { mark },
        condition: { state: 'ready' },
      };
      const changes = [{ field: 'machine.identity', from: 'web@acme.iam.gserviceaccount.com' }];
      const session = await cloud.open();
      const [result] = await session.actuators.instance.update([{ desired, observed, changes }], recordedCall());
      assert.deepEqual(result, { ok: true, value: undefined });
      assert.deepEqual(
        cloud.asked.filter(({ method }) => method === 'POST').map(({ path: at, body }) => [at.split('/').at(-1), body]),
        [['setServiceAccount', '{"email":""}']],
      );
    },
  );
});
