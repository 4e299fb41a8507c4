import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutStore } from '../../src/core/knowledge.ts';
import type { Observation } from '../../src/core/observed.ts';
import { observe } from '../../src/engine/observe.ts';
import { type Opening, openSession } from '../../src/engine/session.ts';
import type { Access, Provider, Session } from '../../src/ports/provider.ts';
import type { Asking } from '../../src/ports/secrets.ts';
import { type Environment, secretsBy } from '../../src/secrets/resolver.ts';
import { assertHidden, canary } from '../support/canary.ts';
import { scriptedSession, unlimited } from '../support/scripted-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const keys = JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: canary });
const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:setpoint-a1b2c3';
const clock = virtualClock();

interface Opened {
  readonly session: Session;
  /** What the provider was given. */
  readonly accesses: readonly Access[];
  readonly asked: readonly Asking[];
}

async function open(given: Opening['given'], environment: Environment = {}, endpoint?: string): Promise<Opened> {
  const accesses: Access[] = [];
  const asked: Asking[] = [];
  const provider: Pick<Provider, 'cloud' | 'open'> = {
    cloud: 'aws',
    open: async (access) => {
      accesses.push(access);
      return scriptedSession({});
    },
  };
  const access = {
    scope: 'aws/acme/here',
    account: 'acme',
    region: 'here',
    ...(endpoint === undefined ? {} : { endpoint }),
  };
  const aws = async (_: unknown, asking: Asking) => {
    asked.push(asking);
    return { ok: true, value: keys } as const;
  };
  const stores = { aws, gcp: aws, azure: aws };
  const opening = { provider: provider as Provider, access, given }; // why: of a provider only these two are asked
  const secrets = secretsBy({ environment, folder: undefined, stores });
  const session = await openSession(opening, { secrets, clock, signal: new AbortController().signal });
  return { session, accesses, asked };
}

const look = (session: Session): Promise<Observation> =>
  clock.run(() =>
    observe(
      { session, account: 'acme', batches: {}, holds: { fixedMarks: [], oneByName: [] }, secret: async () => ({}) },
      withoutStore('acme'),
      { limiter: unlimited, clock, random: () => 0.5 },
      { signal: new AbortController().signal },
    ),
  );

describe('a session is opened', () => {
  it('without credentials where the target has none', async () => {
    const { accesses } = await open(undefined);
    assert.deepEqual(accesses, [{ scope: 'aws/acme/here', account: 'acme', region: 'here' }]);
  });

  it('with the role to assume', async () => {
    const { accesses } = await open({ assumeRole: 'arn:aws:iam::111122223333:role/x' });
    assert.deepEqual(accesses[0]?.credentials, { assumeRole: 'arn:aws:iam::111122223333:role/x' });
  });

  it('with what the secret holds, which no print of it shows', async () => {
    const { accesses } = await open({ env: 'SETPOINT_SECRET_A' }, { SETPOINT_SECRET_A: keys });
    assertHidden(accesses);
    const held = accesses[0]?.credentials?.secret?.();
    assert.deepEqual(held, { cloud: 'aws', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: canary });
  });

  it('with a store asked at the endpoint of the target', async () => {
    assert.equal((await open({ uri: arn }, {}, 'http://127.0.0.1:1')).asked[0]?.endpoint, 'http://127.0.0.1:1');
    assert.ok(!('endpoint' in ((await open({ uri: arn })).asked[0] ?? { endpoint: 'unasked' })));
  });
});

describe('a session whose credentials cannot be had', () => {
  const cases = [
    {
      name: 'missing',
      environment: {},
      code: 'secret-missing',
      why: /^the secret in SETPOINT_SECRET_A: this process has no such variable$/,
    },
    {
      name: 'malformed',
      environment: { SETPOINT_SECRET_A: keys.slice(0, -1) },
      code: 'secret-malformed',
      why: /^the secret in SETPOINT_SECRET_A: it holds no credential for aws: it is no JSON; wanted is/,
    },
  ];
  for (const { name, environment } of cases)
    it(`${name}: is never opened, least of all with the credentials of the process`, async () => {
      const { accesses } = await open({ env: 'SETPOINT_SECRET_A' }, environment);
      assert.deepEqual(accesses, []);
    });

  for (const { name, environment, code, why } of cases)
    it(`${name}: makes a gap of every kind, that says why`, async () => {
      const { session } = await open({ env: 'SETPOINT_SECRET_A' }, environment);
      const { gaps, resources, calls } = await look(session);
      assert.deepEqual([resources, calls], [[], 0]);
      assert.equal(gaps.length, 5);
      for (const gap of gaps) {
        assert.equal(gap.code, code);
        assert.match(gap.reason, why);
      }
      assertHidden(gaps, session);
    });

  it('lists and writes nothing, whoever asks it', async () => {
    const { session } = await open({ env: 'SETPOINT_SECRET_A' });
    const { list, create } = session.actuators.network;
    const call = {
      signal: new AbortController().signal,
      admit: async () => undefined,
      report: () => undefined,
      secret: async () => ({}),
    };
    await assert.rejects(async () => {
      for await (const page of list(call)) assert.fail(`listed ${page.length}`);
    }, /no such variable/);
    assert.deepEqual(await create([], call), []);
  });
});
