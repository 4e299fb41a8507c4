import type { World as ArmWorld } from './arm/world.ts';
import type { Budgets } from './budgets.ts';
import type { Clock } from './clock.ts';
import type { World as ComputeWorld } from './compute/world.ts';
import type { World } from './ec2/world.ts';
import { readDestinations } from './events/destination.ts';
import type { Events } from './events/events.ts';
import type { Effect, FaultRule, Faults } from './faults.ts';
import { JsonProblem, listOf, object, oneOf, optional, type Reader, scalar } from './json.ts';
import type { Lag } from './lag.ts';
import type { Verdict } from './packet.ts';
import { Refused, type WireRequest, type WireResponse } from './protocol.ts';
import type { RequestLog } from './request-log.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import type { Spellings } from './spelling.ts';

/** Controls of the sandbox. Code in the same process calls them directly, other programs over HTTP (`answerControl`). */
export interface Control {
  readonly clock: Clock;
  readonly lag: Pick<Lag, 'set'>;
  readonly budgets: Budgets;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly spellings: Pick<Spellings, 'set'>;
  /** The clouds' audit services. Edits through the control interface are no requests, so they cause no event. */
  readonly events: Pick<Events, 'subscribe' | 'keys' | 'states'>;
  readonly ec2: World;
  readonly compute: ComputeWorld;
  readonly arm: ArmWorld;
  /** The secret stores of all three clouds. */
  readonly secrets: SecretStore;
}

/** The verbs whose body differs between the clouds. */
interface CloudVerbs {
  readonly estate: (control: Control, body: unknown) => void;
  readonly packet: (control: Control, body: unknown) => Verdict;
}

const string = scalar('string');

const packet = { from: string, to: string, protocol: string, port: optional(scalar('number')) };

const ec2Question = object({ account: string, region: string, ...packet });

const computeQuestion = object({ project: string, ...packet });

const armQuestion = object({ subscription: string, ...packet });

const CLOUDS = {
  /** Estates: `ec2/estate.ts`. Packets: {account, region, from, to, protocol, port} */
  aws: {
    estate: ({ ec2 }, body) => ec2.load(body),
    packet: ({ ec2 }, body) => {
      const { account, region, ...question } = ec2Question(body, '');
      return ec2.packet({ account, region }, question);
    },
  },
  /** Estates: `compute/estate.ts`. Packets: {project, from, to, protocol, port} */
  gcp: {
    estate: ({ compute }, body) => compute.load(body),
    packet: ({ compute }, body) => {
      const { project, ...question } = computeQuestion(body, '');
      return compute.packet(project, question);
    },
  },
  /** Estates: `arm/estate.ts`. Packets: {subscription, from, to, protocol, port}, machines by their ids */
  azure: {
    estate: ({ arm }, body) => arm.load(body),
    packet: ({ arm }, body) => {
      const { subscription, ...question } = armQuestion(body, '');
      return arm.packet(subscription, question);
    },
  },
} satisfies Readonly<Record<string, CloudVerbs>>;

const cloudName = optional(oneOf(...(Object.keys(CLOUDS) as readonly (keyof typeof CLOUDS)[]))); // why: CLOUDS has exactly these keys

/** The cloud that a body names in `cloud`, aws if none, and the rest of the body. */
function addressed(body: unknown): { readonly cloud: CloudVerbs; readonly rest: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { cloud: CLOUDS.aws, rest: body };
  const { cloud, ...rest } = { cloud: undefined, ...body };
  return { cloud: CLOUDS[cloudName(cloud, 'cloud') ?? 'aws'], rest };
}

/** One estate, or a list of at least one. */
export function loadEstates(control: Control, document: unknown): void {
  const documents: readonly unknown[] = Array.isArray(document) && document.length > 0 ? document : [document];
  for (const each of documents) {
    const { cloud, rest } = addressed(each);
    cloud.estate(control, rest);
  }
}

export const CONTROL_PREFIX = '/_sandbox/';

const text = optional(scalar('string'));

const number = optional(scalar('number'));

const flag = optional(scalar('boolean'));

/** `GET`: what the tokens of Pub/Sub's pushes are signed by, as JSON Web Keys. They are public. */
const KEYS = `${CONTROL_PREFIX}jwks`;

type Verb = (control: Control, body: unknown) => unknown;

/** `POST /_sandbox/<verb>` with a JSON body; answers JSON. Any part may be left out. */
const VERBS: Readonly<Record<string, Verb>> = {
  /** {advance: ms} → {now} */
  clock: ({ clock }, body) => {
    const { advance } = object({ advance: number })(body, '');
    if (advance !== undefined) clock.advance(advance);
    return { now: clock.now() };
  },
  /** {ms, sight} */
  lag: ({ lag }, body) => {
    const { ms, sight } = object({ ms: scalar('number'), sight: number })(body, '');
    lag.set({ ms, ...(sight === undefined ? {} : { sight }) });
    return {};
  },
  /** {enabled, fill} → the levels of the buckets used so far */
  budgets: ({ budgets }, body) => {
    const { enabled, fill } = object({ enabled: flag, fill: flag })(body, '');
    if (enabled !== undefined) budgets.enabled(enabled);
    if (fill) budgets.fill();
    return budgets.levels();
  },
  /** {add: [{match, effect}], remove: id, clear: true} → {ids} of those added */
  faults: ({ faults }, body) => {
    const {
      add = [],
      remove,
      clear,
    } = object({ add: optional(listOf(faultRule)), remove: text, clear: flag })(body, '');
    if (clear) faults.clear();
    if (remove !== undefined) faults.remove(remove);
    return { ids: add.map((rule) => faults.add(rule)) };
  },
  /** {query, clear} → {entries, counts}, as they were before clearing */
  log: ({ log }, body) => {
    const { query, clear } = object({ query: optional(logQuery), clear: flag })(body, '');
    const answer = { entries: log.entries(present(query ?? {})), counts: log.counts() };
    if (clear) log.clear();
    return answer;
  },
  /** {seed}: how answers are spelled from now on; 0: in the sandbox's own words */
  spellings: ({ spellings }, body) => {
    const { seed } = object({ seed: scalar('number') })(body, '');
    spellings.set(seed === 0 ? { kind: 'own' } : { kind: 'seed', number: seed });
    return {};
  },
  /** {put: [{name, text}]}, by the names that the stores' own clouds know them by: each a new version */
  secrets: ({ secrets }, body) => {
    const { put = [] } = object({ put: optional(listOf(object({ name: string, text: string }))) })(body, '');
    for (const given of put) secrets.put(given.name, given.text);
    return {};
  },
  /** {subscribe: [destination]} (`events/destination.ts`) → how deliveries of events stand, one for each destination */
  events: ({ events }, body) => {
    const { subscribe } = object({ subscribe: optional(readDestinations) })(body, '');
    events.subscribe(subscribe ?? []);
    return { destinations: events.states() };
  },
  /** {cloud} and an estate in the form of that cloud, or a list of those */
  estate: (control, body) => {
    loadEstates(control, body);
    return {};
  },
  /** {cloud} and {from, to, protocol, port} with the place of that cloud → {allowed, steps} */
  packet: (control, body) => {
    const { cloud, rest } = addressed(body);
    return cloud.packet(control, rest);
  },
};

const logQuery = object({ action: text, account: text, region: text, mutating: flag, errorCode: text });

const match = object({
  action: optional(oneOrMore),
  account: text,
  region: text,
  nth: number,
  probability: number,
  times: number,
});

const failing = { code: string, status: scalar('number'), message: text };

const EFFECTS: { readonly [K in Effect['kind']]: Reader<object> } = {
  throttle: object({ kind: string }),
  error: object({ kind: string, ...failing }),
  'error-after': object({ kind: string, ...failing }),
  'access-denied': object({ kind: string }),
  'reset-before': object({ kind: string }),
  'reset-after': object({ kind: string }),
  delay: object({ kind: string, ms: scalar('number') }),
  'short-page': object({ kind: string, items: scalar('number') }),
  flicker: object({ kind: string, share: scalar('number') }),
  unreachable: object({ kind: string, scope: string }),
  'operation-error': object({ kind: string, ...failing }),
  edit: object({ kind: string, method: string, path: string, body: (value: unknown) => value }),
  capitals: object({ kind: string }),
  'as-account': object({ kind: string, account: string }),
};

const effectKind = oneOf(...(Object.keys(EFFECTS) as readonly Effect['kind'][])); // why: EFFECTS has exactly these keys

function faultRule(value: unknown, path: string): FaultRule {
  const rule = object({ match: optional(match), effect })(value, path);
  return { match: present(rule.match ?? {}), effect: rule.effect };
}

function effect(value: unknown, path: string): Effect {
  const kind = effectKind(
    value && typeof value === 'object' && 'kind' in value ? value.kind : undefined,
    `${path}.kind`,
  );
  return present(EFFECTS[kind](value, path)) as Effect; // why: read by the reader of its own kind
}

function oneOrMore(value: unknown, path: string): string | readonly string[] {
  return Array.isArray(value) ? listOf(string)(value, path) : string(value, path);
}

type Present<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

/** Without the keys that are undefined. */
function present<T extends object>(value: T): Partial<Present<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Present<T>>; // why: only undefined was taken out
}

/** Errors of the request, not of the sandbox. */
const REFUSALS = [JsonProblem, SyntaxError, RangeError, Refused];

/** Only for programs on this machine: a page in a browser can send neither this content type nor this Host unasked. */
export function answerControl(control: Control, request: WireRequest): WireResponse | Promise<WireResponse> {
  if (request.method === 'GET' && request.path === KEYS) return control.events.keys().then((keys) => json(200, keys));
  if (request.method !== 'POST') return json(405, { error: 'use POST' });
  if (!request.headers['content-type']?.startsWith('application/json'))
    return json(415, { error: 'send application/json' });
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(request.headers['host'] ?? ''))
    return json(403, { error: 'loopback only' });
  const name = request.path.slice(CONTROL_PREFIX.length);
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb) return json(404, { error: `no verb "${name}"; known are ${Object.keys(VERBS).join(', ')}` });
  try {
    return json(200, verb(control, request.body === '' ? {} : JSON.parse(request.body)));
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal) && error instanceof Error)
      return json(400, { error: error.message });
    throw error;
  }
}

function json(status: number, value: unknown): WireResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(value)}\n` };
}
