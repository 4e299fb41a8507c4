import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { loadProvider } from '../providers/index.ts';
import { webhooksOn } from '../src/http/webhooks/handle-events.ts';
import type { Log } from '../src/ports/clock-and-log.ts';
import type { Session } from '../src/ports/provider.ts';
import { loadTree } from '../src/source/load.ts';
import { parseSpecsInThread } from '../src/source/parse-thread.ts';
import { storedSource } from '../src/source/stored-tree.ts';
import { startHealth } from '../src/telemetry/health.ts';
import { frontOf, push, secret, secrets } from '../test/http/support/front.ts';
import { type Google, startGoogle } from '../test/http/support/google.ts';
import { eventbridge, eventgrid, type Sent } from '../test/http/support/sent.ts';
import { answersWorld, labelled, people } from '../test/queries/support/answers-world.ts';
import { openAwsSession } from '../test/support/aws-session.ts';
import { openAzureSession } from '../test/support/azure-session.ts';
import { recordedCall } from '../test/support/fixtures.ts';
import { openGcpSession } from '../test/support/gcp-session.ts';
import { virtualClock } from '../test/support/virtual-clock.ts';
import type { Figure } from './figure.ts';
import { startAnswering } from './loop-delay/answering.ts';
import { clouds, firstUseOf } from './loop-delay/first-use.ts';
import { type Answers, hostileAnswers, hostileAzure, hostileGoogle } from './loop-delay/hostile-answers.ts';
import { type Bodies, planBodies, specTexts } from './loop-delay/hostile-bodies.ts';
import { hostileWebhooks, type Webhooks } from './loop-delay/hostile-webhooks.ts';
import { largePages } from './loop-delay/large-pages.ts';
import { collectGarbage, longestTurn } from './loop-delay/longest-turn.ts';

const today = '2027-01-31';

/** The inputs to measure, by class. Tests choose fewer. */
export interface Inputs {
  readonly posted: Bodies;
  readonly committed: Bodies;
  readonly delivered: (google: Parameters<typeof hostileWebhooks>[0]) => Webhooks;
  readonly answered: Answers;
  readonly 'answered-gcp': Answers;
  readonly 'answered-azure': Answers;
  readonly listed: typeof largePages;
}

const all: Inputs = {
  posted: planBodies,
  committed: specTexts,
  delivered: hostileWebhooks,
  answered: hostileAnswers,
  'answered-gcp': hostileGoogle,
  'answered-azure': hostileAzure,
  listed: largePages,
};

/**
 * Measures the turns of the loop that hostile input holds. Leases are renewed and requests are answered on the same loop. Inputs:
 * bodies of `POST /v1/plans`, spec files of commits, deliveries to hooks, the clouds' answers to listings, and large pages of
 * Google Cloud and Azure. The first figure is the longest turn of all, the next ones the longest of each class. Inputs over 50 ms are
 * told on stderr. Two figures more: the longest answer of `/livez` meanwhile, which counts the pauses of the collector and those of a
 * busy machine too, and the longest turn at the first use of each cloud's SDK in a process.
 */
export async function loopDelay(inputs = all): Promise<readonly Figure[]> {
  const asker = await startAsker();
  let answer = 0;
  const measure: Measure = async (input, work) => {
    collectGarbage();
    await asker.longest();
    const ms = await longestTurn(work);
    const waited = await asker.longest();
    if (waited > mostAnswerMs) console.error(`loop-delay: ${input}: /livez after ${waited.toFixed(0)} ms`);
    answer = Math.max(answer, waited);
    return ms;
  };
  const classes = [
    await posted(inputs.posted, measure),
    await committed(inputs.committed, measure),
    await delivered(inputs.delivered, measure),
    await answered(inputs.answered, measure),
    await answeredInJson('answered-gcp', openGcpSession, inputs['answered-gcp'], measure),
    await answeredInJson('answered-azure', openAzureSession, inputs['answered-azure'], measure),
    await listed(inputs.listed, measure),
  ];
  await asker.close();
  const value = Math.max(...classes.map((figure) => figure.value));
  return [
    { name: 'loop-delay', value, unit: 'ms, of all inputs' },
    ...classes,
    { name: 'loop-delay-livez', value: Math.round(answer), unit: 'ms until an answer' },
    await firstUse(),
  ];
}

/** Does the work with this input, and answers the longest turn of the loop meanwhile, ms. */
type Measure = (input: string, work: () => Promise<unknown>) => Promise<number>;

async function firstUse(): Promise<Figure> {
  const told: string[] = [];
  let longest = 0;
  for (const cloud of clouds) {
    const { loaded, used } = await firstUseOf(cloud);
    told.push(`${cloud} ${Math.round(used)}, loaded in ${Math.round(loaded)}`);
    longest = Math.max(longest, used);
  }
  return { name: 'loop-delay-first-use', value: Math.round(longest), unit: `ms: ${told.join('; ')}` };
}

async function posted(bodies: Bodies, measure: Measure): Promise<Figure> {
  const world = answersWorld(people);
  await world.accept(labelled('a'), { mode: 'plan' });
  await world.reconcile();
  const post = async (body: string): Promise<void> => {
    await world.api.ask('ada', 'POST /v1/plans', { body: Buffer.from(body) });
  };
  // why: what is measured is compiled, and loaded
  await post(JSON.stringify({ specs: [{ path: 'all.yaml', text: specTexts['sound rules'] }] }));
  const figure = await slowest('posted', bodies, async (body) => () => post(body), measure);
  await world.api.close();
  return figure;
}

function committed(texts: Bodies, measure: Measure): Promise<Figure> {
  const load = async (text: string): Promise<void> => {
    const source = storedSource({ files: [{ path: 'all.yaml', text }], userData: new Map() });
    await loadTree(source, { today, parse: parseSpecsInThread });
  };
  return slowest('committed', texts, async (text) => () => load(text), measure);
}

async function delivered(webhooks: Inputs['delivered'], measure: Measure): Promise<Figure> {
  const hooked = await openWebhookServer();
  const send = async (hook: string, sent: Sent): Promise<void> => {
    await hooked.send(hook, sent);
  };
  await send('eventgrid', eventgrid(secret));
  await send('eventbridge', eventbridge(secret));
  const figure = await slowest(
    'delivered',
    webhooks(hooked.google.pair),
    async (make) => {
      const [hook, sent] = make(hooked.now());
      return () => send(hook, sent);
    },
    measure,
  );
  await hooked.close();
  return figure;
}

async function answered(answers: Answers, measure: Measure): Promise<Figure> {
  await using cloud = await openCloud(openAwsSession);
  await (await cloud.prepare(() => ({ listing: /^nothing$/, body: '' })))();
  return await slowest('answered', answers, cloud.prepare, measure);
}

async function answeredInJson(
  how: string,
  open: typeof openGcpSession,
  answers: Answers,
  measure: Measure,
): Promise<Figure> {
  await using cloud = await openCloud(open);
  // why: the SDK of Google Cloud reads all its definitions as it is first used
  await (await cloud.prepare(() => ({ listing: /^nothing$/, body: '' })))();
  return await slowest(how, answers, cloud.prepare, measure);
}

async function listed({ gcp, azure }: typeof largePages, measure: Measure): Promise<Figure> {
  const figures: Figure[] = [];
  for (const [open, answers] of [[openGcpSession, gcp] as const, [openAzureSession, azure] as const]) {
    await using cloud = await openCloud(open);
    // why: the SDK of Google Cloud reads all its definitions as it is first used
    for (const make of Object.values(answers)) await (await cloud.prepare(make))();
    figures.push(await slowest('listed', answers, cloud.prepare, measure));
  }
  const count = Object.keys(gcp).length + Object.keys(azure).length;
  const value = Math.max(...figures.map((figure) => figure.value));
  return { name: 'loop-delay-listed', value, unit: `ms, of ${count} inputs` };
}

interface Cloud extends AsyncDisposable {
  /** A new reconcile over a cloud that answers so. */
  prepare(make: Answers[string]): Promise<() => Promise<void>>;
}

async function openCloud(open: typeof openAwsSession): Promise<Cloud> {
  const cloud = await startAnswering();
  const sessions: Session[] = [];
  return {
    prepare: async (make) => {
      await cloud.answer(await make());
      const session = await open(cloud.url, { now: () => Date.now(), sleep: async () => {} });
      sessions.push(session);
      return () => listAll(session);
    },
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) await session.close();
      await cloud.close();
    },
  };
}

/** As a reconcile does. A listing that is refused is over. */
async function listAll({ actuators }: Session): Promise<void> {
  for (const actuator of Object.values(actuators)) {
    try {
      for await (const page of actuator.list(recordedCall())) assert.ok(Array.isArray(page));
    } catch {
      // why: only how long it takes is asked
    }
  }
}

/** `prepare`: work before the measurement, which is not measured; it returns the work that is. */
async function slowest<T>(
  how: string,
  inputs: Readonly<Record<string, T>>,
  prepare: (input: T) => Promise<() => Promise<void>>,
  measure: Measure,
): Promise<Figure> {
  let longest = 0;
  for (const [name, input] of Object.entries(inputs)) {
    const ms = await measure(`${how}: ${name}`, await prepare(input));
    longest = Math.max(longest, ms);
    if (ms > mostMs) console.error(`loop-delay: ${how}: ${name}: ${ms.toFixed(0)} ms`);
  }
  const unit = `ms, of ${Object.keys(inputs).length} inputs`;
  return { name: `loop-delay-${how}`, value: Math.round(longest), unit };
}

const mostMs = 50;
const mostAnswerMs = 100;

/** The hooks of a server, with a store and a queue that take everything at once. */
export interface WebhookServer {
  readonly google: Google;
  /** Sends it, and reconciles on what was taken. Answers the status. */
  send(hook: string, sent: Sent): Promise<number>;
  readonly now: () => number;
  close(): Promise<void>;
}

export async function openWebhookServer(): Promise<WebhookServer> {
  const google = await startGoogle();
  const hooks = webhooksOn({
    // why: the front's own are in its place
    activeWebhooks: async () => [{ estate: 'acme', scopes, webhooks: [] }],
    allowEndpoint: true,
    cloud: loadProvider,
    touches: { first: async () => true, keep: async (_, touches) => touches },
    wakeUps: { add: async () => {} },
    requests: { ask: async () => {} },
    queue: { request: async () => {} },
    clock: virtualClock(),
    secrets: { resolve: async ({ env = '' }) => ({ ok: true, value: secrets[env] ?? '' }) },
    log,
  });
  const { firstDeliveries, repositoryMoved, handleEvents } = hooks;
  const front = frontOf({
    more: [{ name: 'pubsub', from: 'pubsub', ...push, keys: google.url }],
    wired: { firstDeliveries, repositoryMoved, handleEvents },
  });
  return {
    google,
    now: () => front.clock.now(),
    send: async (hook, sent) => {
      const { status } = await front.send(hook, sent);
      await front.settle();
      return status;
    },
    close: async () => {
      await front.close();
      await google.close();
    },
  };
}

const scopes = ['aws/111122223333/eu-west-1', 'azure/0a1b/westeurope', 'gcp/acme-prod'];
const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log };

/** Somebody who asks this process for its health, from a thread of his own. */
export interface Asker {
  /** The longest that an answer took, or has been awaited, since this was called before, ms. */
  longest(): Promise<number>;
  close(): Promise<void>;
}

export async function startAsker(): Promise<Asker> {
  const health = await startHealth({
    port: 0,
    state: {
      reaches: [],
      stopping: new AbortController().signal,
      metrics: async () => ({ type: 'text/plain', text: '' }),
      rateLimits: async () => [],
    },
  });
  const thread = new Worker(new URL('./loop-delay/livez-thread.ts', import.meta.url), {
    workerData: { url: health.url },
  });
  const longest = async (): Promise<number> => {
    const told = once(thread, 'message');
    thread.postMessage('longest');
    const [ms] = await told;
    return ms;
  };
  await longest();
  return {
    longest,
    close: async () => {
      await thread.terminate();
      await health.close();
    },
  };
}
