import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudCredential } from '../../src/core/cloud-credential.ts';
import type { Failure } from '../../src/core/failure.ts';
import { withoutStore } from '../../src/core/knowledge.ts';
import type { Observation } from '../../src/core/observed.ts';
import { observe } from '../../src/engine/observe.ts';
import { type Opening, openSession, redactedSession, redactedText, redactor } from '../../src/engine/session.ts';
import {
  type Access,
  type Answer,
  type Call,
  type Creation,
  ListingFailed,
  type Provider,
  type Session,
} from '../../src/ports/provider.ts';
import type { Asking } from '../../src/ports/secrets.ts';
import { type Environment, secretsBy } from '../../src/secrets/resolver.ts';
import { assertHidden, canary } from '../support/canary.ts';
import { scriptedSession, unlimited } from '../support/scripted-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const quoting = (text: string): Failure => ({ kind: 'terminal', code: `Invalid:${text}`, message: `no: ${text}` });
const request = { action: 'RunInstances', mutating: true, costs: [] };

/** A call that collects reported answers, and has the boot data of machines. */
function callOf(told: Answer[] = []): Call {
  return {
    signal: new AbortController().signal,
    admit: async () => undefined,
    report: (_, answer) => told.push(answer),
    secret: async () => ({ userData: canary, access: { user: 'ops', sshKeys: [], password: canary } }),
  };
}

const credentials: readonly CloudCredential[] = [
  { cloud: 'aws', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: canary },
  { cloud: 'aws', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'other-words', sessionToken: canary },
  { cloud: 'gcp', projectId: 'acme', clientEmail: 'a@acme.example', privateKey: canary },
  { cloud: 'azure', tenantId: 'tenant', clientId: 'client', clientSecret: canary },
];

/** A session that quotes the canary in every failure, and everything fails. */
const talkative = (): Session =>
  scriptedSession({
    account: { ok: false, failure: quoting(canary) },
    checkRegions: async ([first]) =>
      first === undefined ? { ok: false, failure: quoting(canary) } : { ok: true, value: [quoting(canary)] },
    list: async () => {
      throw new ListingFailed('Denied', `for ${canary}`, quoting(canary));
    },
    read: async (_, ids) => ids.map(() => ({ ok: false, failure: quoting(canary) })),
    create: async (batch, call) => {
      await call.secret('memory/acme/here/instance/web-0');
      call.report(request, { durationMs: 1, failure: quoting(canary) });
      return batch.map(() => ({ ok: false, failure: quoting(canary) }));
    },
    update: async (batch) => batch.map(() => ({ ok: false, failure: quoting(canary) })),
    delete: async (batch) => batch.map(() => ({ ok: false, failure: quoting(canary) })),
  });

// why: of a batch only its length is asked
const one = [{}] as unknown as readonly Creation[];

describe('a discreet session', () => {
  for (const [at, credential] of credentials.entries())
    it(`repeats nothing of its credential: ${credential.cloud} ${at}`, async () => {
      const session = redactedSession(talkative(), credential);
      const { network } = session.actuators;
      const call = callOf();
      const said: unknown[] = [
        await session.identify(call),
        await session.checkRegions?.(['north'], call),
        await session.checkRegions?.([], call),
        await network.read(['vpc-1'], call),
        await network.update(one as never, call), // why: as above
        await network.delete(one as never, call), // why: as above
      ];
      await assert.rejects(
        async () => {
          for await (const page of network.list(call)) said.push(page);
        },
        (error: unknown) => {
          assert.ok(error instanceof ListingFailed);
          said.push(error.code, error.message, error.failure);
          return true;
        },
      );
      assert.equal(JSON.stringify(said).split('no: (a secret)').length, 8);
      assertHidden(said);
    });

  it('repeats nothing of what machines boot with, in answers or reports', async () => {
    const told: Answer[] = [];
    const results = await redactedSession(talkative()).actuators.instance.create(one as never, callOf(told)); // why: as above
    assert.equal(told.length, 1);
    assertHidden(results, told);
  });

  it('names who was denied', async () => {
    const session = redactedSession(
      scriptedSession({ account: { ok: false, failure: quoting('AKIDEXAMPLE') } }),
      credentials[0],
    );
    assert.match(JSON.stringify(await session.identify(callOf())), /AKIDEXAMPLE/);
  });

  it('passes on what went well, and leaves a session without `resume` without it', async () => {
    const plain = redactedSession(scriptedSession({}));
    assert.deepEqual(await plain.identify(callOf()), { ok: true, value: 'acme' });
    assert.equal(plain.resume, undefined);
    const kept: unknown[] = [];
    const resuming = redactedSession(scriptedSession({ resume: async (operations) => void kept.push(...operations) }));
    await resuming.resume?.([{ id: 'a', state: 'b' }], callOf());
    assert.deepEqual(kept, [{ id: 'a', state: 'b' }]);
  });

  it('has whatever the session has: status checks, and what stands in a network', async () => {
    const plain = scriptedSession({});
    const whole: Session = {
      ...plain,
      outerFilters: async () => [{ subnet: 'subnet-1', filters: ['acl-1'], unlisted: [`no: ${canary}`] }],
      imageFacts: async () => ({ read: [], unread: [{ image: 'ami-1', reason: `no: ${canary}` }] }),
      actuators: {
        ...plain.actuators,
        instance: {
          ...plain.actuators.instance,
          health: async (ids) => ids.map(() => ({ ok: true, value: { state: 'failed', detail: `no: ${canary}` } })),
        },
        network: { ...plain.actuators.network, usersOf: async () => ({ ok: false, failure: quoting(canary) }) },
      },
    };
    const redacted = redactedSession(whole, credentials[0]);
    assert.deepEqual(await redacted.outerFilters?.([], callOf()), [
      { subnet: 'subnet-1', filters: ['acl-1'], unlisted: ['no: (a secret)'] },
    ]);
    assert.deepEqual(await redacted.imageFacts?.([], callOf()), {
      read: [],
      unread: [{ image: 'ami-1', reason: 'no: (a secret)' }],
    });
    assert.equal(redactedSession(plain).outerFilters, undefined);
    assert.equal(redactedSession(plain).imageFacts, undefined);
    const { instance, network } = redacted.actuators;
    const health = await instance.health?.(['i-1'], callOf());
    assert.deepEqual(health, [{ ok: true, value: { state: 'failed', detail: 'no: (a secret)' } }]);
    const users = await network.usersOf?.('vpc-1', callOf());
    assert.match(JSON.stringify(users), /no: \(a secret\)/);
    assertHidden(health, users);
    const { instance: bare } = redactedSession(plain).actuators;
    assert.deepEqual([bare.health, bare.usersOf], [undefined, undefined]);
  });
});

const secret = 'k4nari/e+"nvogel"=&';
const script = '#!/bin/sh\nset -e\nexport TOKEN=k4narienvogel\n';

const cases: readonly { name: string; learned: readonly string[]; said: string; want: string }[] = [
  { name: 'as it is', learned: [secret], said: `no ${secret} please`, want: `no ${redactedText} please` },
  { name: 'every time', learned: ['geheim'], said: 'geheim, geheim', want: `${redactedText}, ${redactedText}` },
  { name: 'in JSON', learned: [secret], said: JSON.stringify({ p: secret }), want: `{"p":"${redactedText}"}` },
  { name: 'in a URL', learned: [secret], said: `?p=${encodeURIComponent(secret)}`, want: `?p=${redactedText}` },
  {
    name: 'in base64',
    learned: [script],
    said: `UserData ${Buffer.from(script).toString('base64')}`,
    want: `UserData ${redactedText}`,
  },
  {
    name: 'a line of a script',
    learned: [script],
    said: 'line 3: export TOKEN=k4narienvogel',
    want: `line 3: ${redactedText}`,
  },
  { name: 'not a line that says nothing', learned: [script], said: 'set -e failed', want: 'set -e failed' },
  {
    name: 'one within another, the longer first',
    learned: ['geheim', 'geheimnis'],
    said: 'geheimnis',
    want: redactedText,
  },
  { name: 'not what is too short to be told from a word', learned: ['web'], said: 'web-0', want: 'web-0' },
  { name: 'nothing where nothing is known', learned: [], said: 'web-0', want: 'web-0' },
];

describe('blotting out', () => {
  for (const { name, learned, said, want } of cases)
    it(name, () => {
      const words = redactor();
      for (const one of learned) words.learn(one);
      assert.equal(words.out(said), want);
    });
});

const keys = JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: canary });
const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:setpoint-a1b2c3';
const clock = virtualClock();

interface Opened {
  readonly session: Session;
  /** The access that the provider got. */
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

  it('lists and writes nothing', async () => {
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
