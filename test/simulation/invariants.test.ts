import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { calls } from '../../providers/memory/cloud/calls.ts';
import type { ChangeEntry } from '../../providers/memory/cloud/history.ts';
import type { Standing } from '../../providers/memory/cloud/inspect.ts';
import type { InstanceRecord } from '../../providers/memory/cloud/records.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';
import { canary } from '../support/canary.ts';
import { invariants } from './invariants/all.ts';
import { publishedBudgets } from './published-budgets.ts';
import { simulate } from './simulate.ts';
import type { RunTrace, Trace } from './trace.ts';

/** One way to break a healthy life, and the number of the invariant that must see it. */
interface Damage {
  readonly name: string;
  readonly breaks: number;
  readonly done: (trace: Trace) => Trace;
}

const withLive = (trace: Trace, live: (all: readonly Standing[]) => readonly Standing[]): Trace => ({
  ...trace,
  cloud: { ...trace.cloud, inspect: { ...trace.cloud.inspect, live: () => live(trace.cloud.inspect.live()) } },
});
const withChanges = (trace: Trace, more: (all: readonly ChangeEntry[]) => readonly ChangeEntry[]): Trace => {
  const { history } = trace.cloud;
  const changes = [...history.changes, ...more(history.changes)];
  return { ...trace, cloud: { ...trace.cloud, history: { ...history, changes } } };
};
const withLastRun = (trace: Trace, change: (run: RunTrace) => RunTrace): Trace => ({
  ...trace,
  runs: trace.runs.map((run, i) => (i === trace.runs.length - 1 ? change(run) : run)),
});
const lastName = ({ runs }: Trace): string => runs.at(-1)?.name ?? '';

const damages: readonly Damage[] = [
  {
    name: 'a second object with the mark of the first',
    breaks: 1,
    done: (trace) => withLive(trace, (all) => [...all, ...all.map((one) => ({ ...one, id: `${one.id}-again` }))]),
  },
  {
    name: 'an object with our mark that the store forgot',
    breaks: 2,
    done: (trace) => ({
      ...trace,
      end: {
        ...trace.end,
        sight: { ...trace.end.sight, knowledge: { ...trace.end.sight.knowledge, settled: new Map() } },
      },
    }),
  },
  {
    name: 'changes to networks whose intents were never written',
    breaks: 3,
    done: (trace) => {
      const entries = trace.ledger.entries.filter(
        ({ body }) => body['kind'] !== 'network' && body['kind'] !== 'subnet',
      );
      return { ...trace, ledger: { ...trace.ledger, entries } };
    },
  },
  {
    name: 'a change to what people made',
    breaks: 4,
    done: (trace) =>
      withChanges(trace, () => {
        const record = { id: 'net-999999', tags: {} };
        return [
          { seq: 1e6, at: 0, caller: 'outside', id: record.id, after: record },
          { seq: 1e6 + 1, at: 1, caller: lastName(trace), id: record.id, before: record },
        ];
      }),
  },
  {
    name: 'a lower generation intended after a higher one was applied',
    breaks: 5,
    done: (trace) => {
      const applied = trace.ledger.entries.findLast(isApplying);
      const intent = trace.ledger.entries.find(({ type, body }) => type === 'intent' && isSame(body, applied?.body));
      const late = intent && { ...intent, body: { ...intent.body, authority: { generation: 0 } } };
      return { ...trace, ledger: { ...trace.ledger, entries: [...trace.ledger.entries, ...(late ? [late] : [])] } };
    },
  },
  {
    name: 'six launches at once',
    breaks: 8,
    done: (trace) =>
      withLastRun(trace, (run) => ({
        ...run,
        asked: Array.from({ length: 6 }, () => ({ at: 1e15, action: 'RunInstances', machines: 1 })),
      })),
  },
  {
    name: 'more machines launched in a second than the account may',
    breaks: 8,
    done: (trace) =>
      withLastRun(trace, (run) => ({
        ...run,
        asked: [0, 1000].map((ms) => ({ at: 1e15 + ms, action: 'RunInstances', machines: 502 })),
      })),
  },
  {
    name: 'a request that left while everything was held still',
    breaks: 15,
    done: (trace) => ({
      ...withLastRun(trace, (run) => ({ ...run, sent: [{ at: 2e15, action: 'CreateNetwork', leased: true }] })),
      pauses: [{ id: 0, from: 2e15 - 1, until: 2e15 + 1 }],
    }),
  },
  {
    name: 'a request that left without the lease',
    breaks: 6,
    done: (trace) =>
      withLastRun(trace, (run) => ({ ...run, sent: [{ at: 0, action: 'CreateNetwork', leased: false }] })),
  },
  {
    name: 'a ledger entry of a lower epoch',
    breaks: 6,
    done: (trace) => {
      const { entries: all } = trace.ledger;
      const first = all.find(({ type }) => type === 'intent');
      const entries = first ? [...all, { ...first, seq: all.length + 1 }] : [];
      return { ...trace, ledger: { ...trace.ledger, entries } };
    },
  },
  {
    name: 'a write in the reconcile after convergence',
    breaks: 7,
    done: (trace) => ({ ...trace, end: { ...trace.end, writes: 1 } }),
  },
  {
    name: 'something wanted that does not stand, though the plan is empty',
    breaks: 7,
    done: (trace) => withLive(trace, (all) => all.slice(1)),
  },
  {
    name: 'a rule that is missing, though the plan is empty',
    breaks: 7,
    done: (trace) => {
      const { sight } = trace.end;
      const resources = sight.observation.resources.filter(({ kind }) => kind !== 'firewall-rule');
      return { ...trace, end: { ...trace.end, sight: { ...sight, observation: { ...sight.observation, resources } } } };
    },
  },
  {
    name: 'a ledger that does not verify',
    breaks: 9,
    done: (trace) => ({ ...trace, ledger: { ...trace.ledger, problem: 'entry 3 was changed' } }),
  },
  {
    name: 'a ledger with a hole',
    breaks: 9,
    done: (trace) => ({
      ...trace,
      ledger: { ...trace.ledger, entries: trace.ledger.entries.filter(({ seq }) => seq !== 2) },
    }),
  },
  {
    name: 'a secret in the ledger',
    breaks: 10,
    done: (trace) => ({
      ...trace,
      ledger: {
        ...trace.ledger,
        entries: trace.ledger.entries.map((entry) => ({ ...entry, body: { ...entry.body, why: `no: ${canary}` } })),
      },
    }),
  },
  {
    name: 'a secret in what a reconcile told',
    breaks: 10,
    done: (trace) =>
      withLastRun(trace, (run) => ({ ...run, told: [{ at: 'waiting', why: 'backoff', detail: canary }] })),
  },
  {
    name: 'a secret on a label',
    breaks: 10,
    done: (trace) =>
      withLive(trace, (all) => all.map((one) => ({ ...one, record: { ...one.record, tags: { note: canary } } }))),
  },
  {
    name: 'a run that rests on no accepted revision',
    breaks: 11,
    done: (trace) => withLastRun(trace, (run) => ({ ...run, generation: 0 })),
  },
  {
    name: 'a plan that hangs on the order of its input',
    breaks: 12,
    done: (trace) => ({ ...trace, plans: [...trace.plans, ['one', 'other']] }),
  },
  {
    name: 'a plan that counts fewer machines than stand',
    breaks: 16,
    done: (trace) => ({ ...trace, costs: trace.costs.map((one) => ({ ...one, counted: one.machines - 1 })) }),
  },
  {
    name: 'a wanted rule taken away',
    breaks: 13,
    done: (trace) =>
      withChanges(trace, (all) => {
        const gone = new Set(all.flatMap(({ id, after }) => (after ? [] : [id])));
        const standing = all.filter(({ id, before: old, after }) => !old && after && 'match' in after && !gone.has(id));
        return standing.flatMap(({ id, after }) =>
          after ? [{ seq: 1e6, at: 1e15, caller: lastName(trace), id, before: after }] : [],
        );
      }),
  },
  {
    name: 'a rule made that no spec wants',
    breaks: 13,
    done: (trace) =>
      withChanges(trace, (all) => {
        const groups = new Set(all.flatMap(({ after }) => (after && 'launch' in after ? groupsOf(after) : [])));
        const [group = ''] = groups;
        const match = { direction: 'ingress', protocol: 'tcp', from: 22, to: 22, peer: '100.64.0.0/10' } as const;
        const after = { id: 'rul-999999', group, description: '', match };
        return [{ seq: 1e6, at: 1e15, caller: lastName(trace), id: after.id, after }];
      }),
  },
  {
    name: 'a machine ended that every spec wanted as it was',
    breaks: 14,
    done: (trace) => {
      const launch = trace.ledger.entries.find(
        ({ type, body }) => type === 'intent' && body['kind'] === 'instance' && isWanted(trace, body),
      );
      const end = launch && { ...launch, body: { ...launch.body, verb: 'replace', id: 'ins-unknown' } };
      return { ...trace, ledger: { ...trace.ledger, entries: [...trace.ledger.entries, ...(end ? [end] : [])] } };
    },
  },
  {
    name: 'a stop that took two seconds',
    breaks: 0,
    done: (trace) => withLastRun(trace, (run) => ({ ...run, stop: { at: 0, ended: 2000 } })),
  },
];

const isApplying = ({ type, body }: LedgerEntry): boolean =>
  type === 'settlement' && JSON.stringify(body['effects']).includes('"do":"apply"');
/** By one spec alone, so that none can have asked for another. */
const isWanted = ({ runs }: Trace, { address, authority }: LedgerEntry['body']): boolean =>
  (authority as { generation: number }).generation === 1 && // why: every intent says on whose authority it is
  runs.some((run) => run.generation === 1 && run.desired.some((one) => one.address === address));
const isSame = (one: LedgerEntry['body'], other: LedgerEntry['body'] | undefined): boolean =>
  one['intent'] === other?.['intent'];

// why: only called with machines
const groupsOf = (record: object): readonly string[] => (record as InstanceRecord).groups;

const brokenIn = (trace: Trace): readonly number[] =>
  invariants.filter(({ broken }) => broken(trace).length > 0).map(({ number }) => number);

/** A life with two networks, rules and machines, and crashes. */
const healthySeed = 5;

describe('the invariants can fail', () => {
  let healthy: Trace;
  before(async () => {
    healthy = await simulate(healthySeed);
  });

  it('a healthy life breaks none', () => assert.deepEqual(brokenIn(healthy), []));
  for (const { name, breaks, done } of damages) {
    it(`${breaks}: ${name}`, () => assert.ok(brokenIn(done(healthy)).includes(breaks)));
  }
  it('every action of the cloud has a published budget', () => {
    const budgeted = new Set(publishedBudgets.map(({ action }) => action));
    const counted = Object.keys(calls).filter((action) => action !== 'WhoAmI');
    assert.deepEqual(
      counted.filter((action) => !budgeted.has(action)),
      [],
    );
  });
  it('every invariant has a damage that it sees', () => {
    assert.deepEqual(new Set(damages.map(({ breaks }) => breaks)), new Set(invariants.map(({ number }) => number)));
  });
});
