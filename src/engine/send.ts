import type { Failure } from '../core/failure.ts';
import type { Sent } from '../core/pack.ts';
import type { Kind } from '../core/resource.ts';
import type { Intended, Settlement } from '../ports/ledger.ts';
import { deliver } from './deliver.ts';
import type { Desk } from './desk.ts';
import { desiredOf, draftOf, type Item, observedOf } from './draft.ts';
import { earlierBatch } from './earlier-batch.ts';
import { effectsOf } from './effects.ts';
import { leased } from './leased.ts';
import { type CallLog, callLog } from './line.ts';
import { done, type Outcome, unsent } from './outcome.ts';
import { callActuator, type Ready } from './request.ts';
import type { Room } from './room.ts';

/**
 * Items of one kind and verb, from intent to settlement: one transaction, the calls it takes, one transaction.
 * One outcome per item, in order.
 */
export async function send(items: readonly Item[], desk: Desk): Promise<readonly Outcome[]> {
  const grounded = items.map((item) => groundOf(item, desk));
  const sendable = items.filter((_, i) => grounded[i] === undefined);
  const sent = new Map<Item, Outcome>();
  for (const together of companiesOf(sendable, desk))
    for (const [item, outcome] of await intendAndDeliver(together, desk)) sent.set(item, outcome);
  return items.map((item, i) => grounded[i] ?? sent.get(item) ?? unsent);
}

/** What keeps an item from being sent at all: an address it names has no id. */
function groundOf({ action, verb }: Item, { known }: Desk): Outcome | undefined {
  if (verb === 'delete' || verb === 'forget') return undefined;
  const { kind, attributes, address } = desiredOf(action);
  if (known.names.resolve(kind, attributes) !== undefined) return undefined;
  return {
    as: 'stale',
    failure: { kind: 'conflict', code: 'NotThere', message: `${address} rests on something that has no id yet` },
  };
}

/** A launch is sent again with those it was sent with, and with nobody else: its token is that of its first. */
function companiesOf(items: readonly Item[], { at, known }: Desk): readonly (readonly Item[])[] {
  const batchOf = ({ action, verb }: Item): string | undefined =>
    verb === 'create' && action.kind === 'instance' && !at.site.holds.oneByName.includes('instance')
      ? earlierBatch(action.address, known.knowledge)
      : undefined;
  return [...Map.groupBy(items, batchOf).values()];
}

type Answered = readonly [Item, Outcome];

async function intendAndDeliver(items: readonly Item[], desk: Desk): Promise<readonly Answered[]> {
  if (items.length === 0 || desk.halt.waits.aborted) return [];
  const { ledger } = desk.ports;
  const { pass } = desk.at.warrant;
  const drafts = draftsOf(items, desk);
  const intended = await leased(() => ledger.intend(pass, drafts));
  const ready = items.flatMap((item, i): readonly Ready[] => {
    const answer = intended[i];
    return answer?.ok ? [{ item, intent: answer.intent, attempt: answer.attempt }] : [];
  });
  const log = callLog();
  const outcomes = await deliverReady(ready, desk, log);
  await settle(ready, outcomes, log, desk);
  return [
    ...items.flatMap((item, i): readonly Answered[] => refusalOf(item, intended[i])),
    ...ready.map(({ item }, i): Answered => [item, outcomes[i] ?? unsent]),
  ];
}

function draftsOf(items: readonly Item[], { known, ports, at }: Desk) {
  const batch = Math.floor(ports.random() * 2 ** 48).toString(16);
  return items.map((item) =>
    draftOf(item, { knowledge: known.knowledge, batch, fixedMarks: at.site.holds.fixedMarks }),
  );
}

const refusalOf = (item: Item, answer: Intended | undefined): readonly Answered[] =>
  answer?.ok === false ? [[item, { as: 'withheld', code: refusalCodes[answer.reason], why: answer.why }]] : [];

const refusalCodes = { limit: 'limit', generation: 'stale' } as const;

async function deliverReady(ready: readonly Ready[], desk: Desk, log: CallLog): Promise<readonly Outcome[]> {
  const [first] = ready;
  if (!first) return [];
  if (first.item.verb === 'forget') return ready.map(() => done);
  const sent: Sent = first.item.verb === 'adopt' ? 'update' : first.item.verb;
  const call = desk.line.writing(log, sent, keepFresh(ready, desk));
  const outcomes = await deliver(
    {
      sent,
      repeatable: sent === 'create' && isRepeatable(first.item.action.kind, desk),
      items: ready,
      call: (items) => callActuator(items, desk, call),
      before: ({ item, attempt }) => (item.verb === 'create' && attempt > 1 ? sentBefore : unsent),
      requests: () => log.sent,
    },
    { ports: desk.ports, waits: desk.halt.waits, tell: desk.tell, room: roomFor(first.item, desk) },
  );
  for (const [i, { item }] of ready.entries()) remember(item, outcomes[i], desk);
  return outcomes;
}

/** One that takes the place of another had room until now. */
const roomFor = ({ action }: Item, { known }: Desk): Room =>
  action.verb === 'create' ? known.rooms(action.desired) : { refusal: undefined };

/** Machines have tokens, all else but networks a unique name or block everywhere; networks only on some clouds. */
const isRepeatable = (kind: Kind, { at }: Desk): boolean =>
  kind !== 'network' || at.site.holds.oneByName.includes(kind);

/** Whoever intended it first may have sent it: whatever the cloud answers now but success, it may stand. */
const sentBefore: Outcome = {
  as: 'open',
  failure: { kind: 'ambiguous', code: 'SentBefore', message: 'an earlier sending of it was never answered' },
};

/** An intent that waited longer than this for a budget is intended again before it is sent, so that its age tells when it was sent. */
export const freshMs = 30_000;

function keepFresh(ready: readonly Ready[], desk: Desk): () => Promise<void> {
  const { ledger, clock } = desk.ports;
  let at = clock.now();
  return async () => {
    if (clock.now() - at < freshMs) return;
    at = clock.now();
    const drafts = draftsOf(
      ready.map(({ item }) => item),
      desk,
    );
    await leased(() => ledger.intend(desk.at.warrant.pass, drafts));
  };
}

function remember({ action, verb }: Item, outcome: Outcome | undefined, { known }: Desk): void {
  if (outcome?.as !== 'done') return;
  if (verb === 'adopt') known.names.add(action.address, observedOf(action).id);
  if (verb === 'create' && outcome.observed) known.names.add(action.address, outcome.observed.id);
}

async function settle(ready: readonly Ready[], outcomes: readonly Outcome[], log: CallLog, desk: Desk): Promise<void> {
  if (ready.length === 0) return;
  const settlements = ready.map((one, i) => settlementOf(one, outcomes[i] ?? unsent, log, desk));
  await leased(() => desk.ports.ledger.settle(desk.at.warrant.pass, settlements));
  for (const [i, { item }] of ready.entries()) report(item, outcomes[i] ?? unsent, desk);
}

const notSent: Failure = { kind: 'retryable', code: 'NotSent', message: 'the pass ended before it was sent' };

function settlementOf({ item, intent }: Ready, outcome: Outcome, log: CallLog, { known, at }: Desk): Settlement {
  const base = { intent, closes: outcome.as !== 'open', calls: log.records };
  if (outcome.as !== 'done') {
    const failure = 'failure' in outcome ? outcome.failure : notSent;
    return { ...base, outcome: { ok: false, failure }, effects: [] };
  }
  const { kind, address } = item.action;
  const { fixedMarks } = at.site.holds;
  const { details } = draftOf(item, { knowledge: known.knowledge, batch: '', fixedMarks });
  const id = outcome.observed?.id ?? idOf(item);
  return { ...base, outcome: { ok: true }, effects: effectsOf({ verb: item.verb, kind, address, id, details }) };
}

function idOf({ action }: Item): string {
  return action.verb === 'forget' ? action.id : observedOf(action).id;
}

function report({ action }: Item, outcome: Outcome, { tell }: Desk): void {
  if (outcome.as === 'unsent' || outcome.as === 'withheld') return;
  const { kind, verb, address } = action;
  tell?.({ at: 'settled', kind, verb, address, ...('failure' in outcome ? { failure: outcome.failure } : {}) });
}
