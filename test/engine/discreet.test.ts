import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudCredential } from '../../src/core/cloud-credential.ts';
import type { Failure } from '../../src/core/failure.ts';
import { redactedSession } from '../../src/engine/session.ts';
import { type Answer, type Call, type Creation, ListingFailed, type Session } from '../../src/ports/provider.ts';
import { assertHidden, canary } from '../support/canary.ts';
import { scriptedSession } from '../support/scripted-session.ts';

const quoting = (text: string): Failure => ({ kind: 'terminal', code: `Invalid:${text}`, message: `no: ${text}` });
const request = { action: 'RunInstances', mutating: true, costs: [] };

/** What the engine is told of, and what machines boot with. */
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

/** A session that quotes the canary in whatever goes wrong: everything. */
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
      actuators: {
        ...plain.actuators,
        instance: {
          ...plain.actuators.instance,
          health: async (ids) => ids.map(() => ({ ok: true, value: { state: 'failed', detail: `no: ${canary}` } })),
        },
        network: { ...plain.actuators.network, usersOf: async () => ({ ok: false, failure: quoting(canary) }) },
      },
    };
    const { instance, network } = redactedSession(whole, credentials[0]).actuators;
    const health = await instance.health?.(['i-1'], callOf());
    assert.deepEqual(health, [{ ok: true, value: { state: 'failed', detail: 'no: (a secret)' } }]);
    const users = await network.usersOf?.('vpc-1', callOf());
    assert.match(JSON.stringify(users), /no: \(a secret\)/);
    assertHidden(health, users);
    const { instance: bare } = redactedSession(plain).actuators;
    assert.deepEqual([bare.health, bare.usersOf], [undefined, undefined]);
  });
});
