import { setTimeout as sleep } from 'node:timers/promises';
import type { World as ArmWorld } from '../arm/world.ts';
import type { Clock } from '../clock.ts';
import type { World as ComputeWorld } from '../compute/world.ts';
import type { Accounts } from '../ec2/accounts.ts';
import { seededRandom } from '../random.ts';
import { auditLog } from './audit-log.ts';
import { Delivery, type DeliveryState, type EventSender, type Outside, type Source, type Written } from './delivery.ts';
import type { Destination } from './destination.ts';
import { apiDestination, eventBridge } from './event-bridge.ts';
import { eventGrid, webhook } from './event-grid.ts';
import { makeSigner, pushSubscription, type Signer } from './push-subscription.ts';
import { requesterOf } from './requester.ts';

/** The clouds' audit services: events about the writes of clients. */
export interface Events {
  /** From now on these are told too; Event Grid's handshake is begun at once. */
  subscribe(destinations: readonly Destination[]): void;
  /** Tells it to whom it concerns, after the answer to the client, which never waits for it. */
  heard(written: Written): void;
  /** The keys that Pub/Sub's tokens are signed by, as https://www.googleapis.com/oauth2/v3/certs has Google's. */
  keys(): Promise<object>;
  /** One for each destination, in the order they were subscribed. */
  states(): readonly (DeliveryState & { readonly cloud: Destination['cloud'] })[];
  close(): Promise<void>;
}

interface EventsOptions {
  readonly seed: number;
  readonly clock: Clock;
  readonly worlds: { readonly compute: ComputeWorld; readonly arm: ArmWorld };
  readonly accounts: Accounts;
}

interface Line {
  readonly destination: Destination;
  readonly delivery: Delivery;
}

const CLOUD_OF: Readonly<Record<string, Destination['cloud']>> = { ec2: 'aws', compute: 'gcp', arm: 'azure' };

export function makeEvents(options: EventsOptions): Events {
  const signer = makeSigner();
  const sources = sourcesOf(options);
  const lines: Line[] = [];
  const lineTo = (destination: Destination): Line => {
    const random = seededRandom(options.seed, `events/${lines.length}`);
    const sender = senderOf(destination, signer);
    const outside = outsideAt(destination.url);
    return { destination, delivery: new Delivery({ destination, sender, random, outside }) };
  };
  return {
    subscribe: (destinations) => {
      for (const destination of destinations) {
        const line = lineTo(destination);
        lines.push(line);
        line.delivery.open();
      }
    },
    heard: (written) => {
      const cloud = CLOUD_OF[written.call.service];
      const concerned = lines.filter(
        ({ destination }) => destination.cloud === cloud && !excepts(destination, written),
      );
      if (cloud && concerned.length > 0) setImmediate(tell, sources[cloud], written, concerned);
    },
    keys: () => signer.keys(),
    states: () => lines.map(({ destination: { cloud }, delivery }) => ({ cloud, ...delivery.state() })),
    close: async () => {
      await Promise.all(lines.map(({ delivery }) => delivery.close()));
    },
  };
}

function sourcesOf({ seed, clock, worlds, accounts }: EventsOptions): Readonly<Record<Destination['cloud'], Source>> {
  return {
    aws: eventBridge({ accounts, random: seededRandom(seed, 'events/aws') }),
    gcp: auditLog({ clock, world: worlds.compute, random: seededRandom(seed, 'events/gcp') }),
    azure: eventGrid({ clock, world: worlds.arm, random: seededRandom(seed, 'events/azure') }),
  };
}

function senderOf(destination: Destination, signer: Signer): EventSender {
  switch (destination.cloud) {
    case 'aws':
      return apiDestination(destination);
    case 'gcp':
      return pushSubscription(destination, signer);
    case 'azure':
      return webhook();
  }
}

function excepts({ except = [] }: Destination, { request }: Written): boolean {
  const { agent } = requesterOf(request);
  return except.some((part) => agent.includes(part));
}

async function tell(source: Source, written: Written, lines: readonly Line[]): Promise<void> {
  for await (const event of source(written)) for (const { delivery } of lines) delivery.push(event);
}

/** An API destination has this long to answer: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html */
const ANSWER_MS = 5000;

/** The sandbox reads no more of an answer. */
const MOST_CHARACTERS = 10_000;

/** Sends to `url`, in real time, and follows no redirect. */
function outsideAt(url: string): Outside {
  return {
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    send: async ({ headers, body }, signal) => {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ends });
      return { status: answer.status, body: (await answer.text()).slice(0, MOST_CHARACTERS) };
    },
  };
}
