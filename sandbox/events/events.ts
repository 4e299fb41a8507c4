import type { World as ArmWorld } from '../arm/world.ts';
import type { Clock } from '../clock.ts';
import type { World as ComputeWorld } from '../compute/world.ts';
import type { Accounts } from '../ec2/identity.ts';
import { seededRandom } from '../random.ts';
import { apiDestination } from './aws/api-destination.ts';
import { eventBridge } from './aws/event-bridge.ts';
import { eventGrid } from './azure/event-grid.ts';
import { webhook } from './azure/webhook.ts';
import type { Carrier } from './carrier.ts';
import { Delivery, type DeliveryState } from './delivery.ts';
import type { Destination } from './destination.ts';
import { auditLog } from './gcp/audit-log.ts';
import { pushSubscription } from './gcp/push-subscription.ts';
import { makeSigner, type Signer } from './gcp/signer.ts';
import { outsideAt } from './outside.ts';
import { requesterOf } from './requester.ts';
import type { Source, Written } from './written.ts';

/** What the clouds' audit services tell of what clients wrote. */
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

export interface EventsOptions {
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
    const carrier = carrierOf(destination, signer);
    const outside = outsideAt(destination.url);
    return { destination, delivery: new Delivery({ destination, carrier, random, outside }) };
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

function carrierOf(destination: Destination, signer: Signer): Carrier {
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
