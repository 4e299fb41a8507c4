import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { unexplainedIntents } from '../../../src/core/plan/lost-commits.ts';
import {
  allow,
  appliedAs,
  at,
  ground,
  input,
  know,
  looked,
  mark,
  net,
  ours,
  see,
  standing,
  subnet,
  vpc,
  want,
  wantedGround,
} from './fixture.ts';
import { runCases } from './run-cases.ts';

const lost = '00000000-0000-4000-8000-00000000000a';
const known = '00000000-0000-4000-8000-00000000000b';

const placement = { subnet: at('subnet', 'core.app'), publicIp: false };
const machine = { image: 'ami-1', size: 't3.small', power: 'running' } as const;
const web = (index: number, more: object = {}) =>
  want('instance', `web-${index}`, { placement, machine: { ...machine, ...more }, labels: {} });
const webStands = (index: number, id: string, more: object = {}) =>
  ours('instance', `web-${index}`, id, {
    placement: { subnet: 'subnet-1', publicIp: false },
    machine: { ...machine, ...more },
    labels: {},
  });
const marked = (observed: Observed, intent: string, more: object = {}): Observed => ({
  ...observed,
  signs: { ...observed.signs, mark: mark(observed.signs.mark?.address ?? '', { intent, ...more }) },
});

const unrecorded: Partial<Knowledge> = { unrecorded: new Set([lost]) };
const tagged = want('network', 'core', vpc('10.0.0.0/16', { tier: 'web' }));
const ended: Partial<Knowledge> = { lost: { held: 1, signed: 3, signedAt: 0 } };
const stranger = marked(webStands(1, 'i-9'), lost);
const [first, second] = [webStands(0, 'i-1'), webStands(1, 'i-2')];

runCases(
  [
    {
      name: 'a machine whose intent this store has no record of: nothing is made at its address',
      given: input([...wantedGround, web(1)], looked([...ground, stranger]), { knowledge: know(ground, unrecorded) }),
      want: ['blocked instance/web-1: lost-commits', 'unrecorded-mark i-9'],
    },
    {
      name: 'a copy bears the intent of its original, which is recorded: it stands in for nothing',
      given: input([...wantedGround, web(1)], looked([...ground, marked(stranger, known)]), {
        knowledge: know(ground, unrecorded),
      }),
      want: ['create instance/web-1', 'copied-mark i-9'],
    },
    {
      name: 'the place of a machine that was replaced in the lost minutes: the old one is let go, and none is made',
      given: input([...wantedGround, web(1)], looked([...ground, stranger]), {
        knowledge: know([...ground, second], unrecorded),
      }),
      want: ['forget instance/web-1 (gone)', 'blocked instance/web-1: lost-commits', 'unrecorded-mark i-9'],
    },
    {
      name: 'elsewhere in the scope what is missing is made, and what differs in place is written',
      given: input(
        [want('network', 'core', vpc('10.0.0.0/16', { tier: 'web' })), subnet, web(2)],
        looked([...ground, stranger]),
        { knowledge: know(ground, unrecorded) },
      ),
      want: ['update network/core', 'create instance/web-2', 'unrecorded-mark i-9'],
    },
    {
      name: 'what a spec seems to have moved is not replaced: what was applied may be out of date',
      given: input([...wantedGround, web(0, { image: 'ami-2' })], looked([...ground, first, stranger]), {
        knowledge: { ...appliedAs([...ground, first], [web(0)]), ...unrecorded },
      }),
      want: ['unrecorded-mark i-9', 'withheld instance/web-0: lost-commits'],
    },
    {
      name: 'nor by an approval, which may have been spent or withdrawn in the lost minutes',
      given: input([...wantedGround, web(0, { image: 'ami-2' })], looked([...ground, first, stranger]), {
        knowledge: { ...appliedAs([...ground, first], [web(0)]), ...unrecorded },
        choices: { approved: () => true },
      }),
      want: ['unrecorded-mark i-9', 'withheld instance/web-0: lost-commits'],
    },
    {
      name: 'a machine too many stays',
      given: input([...wantedGround, web(0)], looked([...ground, first, second, stranger]), {
        knowledge: know([...ground, first, second], unrecorded),
      }),
      want: ['unrecorded-mark i-9', 'withheld instance/web-1: lost-commits'],
    },
    {
      name: 'a rule that nobody wrote stays: the specs that did may be lost',
      given: input(
        [net, want('group', 'core.web', { network: at('network', 'core'), labels: {} })],
        looked([
          standing,
          ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
          see(
            'firewall-rule',
            'sgr-1',
            { ...allow('sg-1', '22-22', ['0.0.0.0/0']), network: 'vpc-1' },
            { signs: { container: 'sg-1' } },
          ),
          stranger,
        ]),
        {
          knowledge: know([standing, ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} })], unrecorded),
        },
      ),
      want: ['unrecorded-mark i-9', 'withheld firewall-rule/core.web ingress tcp 22-22 0.0.0.0/0: lost-commits'],
    },
    {
      name: 'a network keeps its way out',
      given: input(
        [want('network', 'core', { ...vpc(), internet: false })],
        looked([ours('network', 'core', 'vpc-1', { ...vpc(), internet: true }), stranger]),
        { knowledge: know([standing], unrecorded) },
      ),
      want: ['unrecorded-mark i-9', 'withheld network/core: lost-commits'],
    },
    {
      name: 'nor is it adopted: only takeover forgets what was applied',
      given: input(
        [...wantedGround, { ...web(1), terms: { ...web(1).terms, claim: { adopt: 'i-9', was: [] } } }],
        looked([...ground, stranger]),
        {
          knowledge: know(ground, unrecorded),
        },
      ),
      want: ['blocked instance/web-1: lost-commits'],
    },
    {
      name: 'a ledger that ends before a signed checkpoint: nothing is replaced or deleted, and nothing strange need stand',
      given: input([...wantedGround, web(0, { image: 'ami-2' })], looked([...ground, first, second]), {
        knowledge: { ...appliedAs([...ground, first, second], [web(0)]), ...ended },
        choices: { approved: () => true },
      }),
      want: ['withheld instance/web-0: lost-commits', 'withheld instance/web-1: lost-commits'],
    },
    {
      name: 'such a ledger holds back no creation, and no update in place; whether that is drift is not known',
      given: input([tagged, subnet, web(2)], looked([...ground]), {
        knowledge: { ...appliedAs(ground, [tagged]), ...ended },
      }),
      want: ['update network/core', 'create instance/web-2'],
    },
    {
      name: 'once it is settled nothing is withheld any more',
      given: input([...wantedGround, web(0, { image: 'ami-2' }), web(1)], looked([...ground, first, stranger]), {
        knowledge: { ...appliedAs([...ground, first, stranger], [web(0), web(1)]), ...unrecorded },
      }),
      want: ['replace instance/web-0'],
    },
  ],
  'lost-commits',
);

describe('a store is asked only about intents that nothing explains', () => {
  const cases = [
    { name: 'none where all is settled', seen: [marked(first, known)], knows: know([first]), want: [] },
    { name: 'that of what nobody settled', seen: [stranger], knows: know([]), want: [lost] },
    {
      name: 'once, however many bear it',
      seen: [stranger, { ...stranger, id: 'i-10' }],
      knows: know([]),
      want: [lost],
    },
    {
      name: 'none of what is gone and listed still',
      seen: [{ ...stranger, condition: { state: 'gone' } }],
      knows: know([]),
      want: [],
    },
    { name: 'none of another store', seen: [marked(second, lost, { store: 's2' })], knows: know([]), want: [] },
    { name: 'none of another estate', seen: [marked(second, lost, { estate: 'other' })], knows: know([]), want: [] },
    {
      name: 'none that is spelled otherwise: we never wrote it',
      seen: [marked(second, "x'--")],
      knows: know([]),
      want: [],
    },
    {
      name: 'none that was let go of',
      seen: [stranger],
      knows: know([], {
        ended: new Map([['i-9', { as: 'gone', address: at('instance', 'web-1'), kind: 'instance', at: 0 }]]),
      }),
      want: [],
    },
    {
      name: 'none that is open',
      seen: [stranger],
      knows: know([], {
        pending: [
          {
            intent: lost,
            attempt: 1,
            address: at('instance', 'web-1'),
            verb: 'create',
            at: 0,
            draft: { kind: 'instance', details: {} },
          },
        ],
      }),
      want: [],
    },
  ] as const;
  for (const { name, seen, knows, want: wants } of cases)
    it(name, () => assert.deepEqual(unexplainedIntents(looked(seen), knows), wants));
});
