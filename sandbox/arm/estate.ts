import { JsonProblem, listOf, mapOf, moment, object, oneOf, optional, pattern, scalar } from '../json.ts';
import { Refused } from '../protocol.ts';
import { makeRouter } from './method.ts';
import { METHODS } from './methods/index.ts';
import { groupPath, keyOf } from './resource-id.ts';
import { type AdminRule, AT_ONCE, type PlatformVersion, type StatedImage, type Subscription } from './subscription.ts';

const find = makeRouter(METHODS);

/** Puts what a file says into the world, each resource by its own PUT, done at once. Throws a `JsonProblem` that says where. */
export function loadEstate(
  document: unknown,
  subscriptionOf: (id: string | undefined) => Subscription,
  now: number,
): void {
  readEstate(document, '').subscriptions.forEach((form, index) => {
    const path = `subscriptions[${index}]`;
    const subscription = explained(path, () => subscriptionOf(form.id));
    loadSubscription({ subscription, now, path }, form);
  });
}

interface Loading {
  readonly subscription: Subscription;
  readonly now: number;
  /** The current position in the document. */
  readonly path: string;
}

function loadSubscription(
  loading: Loading,
  { groups = [], outside = [], resources = [], adminRules = [], images = [], platformImages = [] }: SubscriptionForm,
): void {
  const { subscription, path } = loading;
  subscription.adminRules.push(...adminRules.map(adminRuleOf));
  for (const id of outside) subscription.outside.add(keyOf(id));
  for (const form of images) subscription.images.set(keyOf(form.id), imageOf(form, loading.now));
  subscription.platformVersions.push(...platformImages.map(platformVersionOf));
  groups.forEach(({ name, location, tags }, index) => {
    const body = { location, ...tagged(tags) };
    put({ ...loading, path: `${path}.groups[${index}]` }, groupPath(subscription.id, name), body);
  });
  resources.forEach((form, index) => {
    const here = { ...loading, path: `${path}.resources[${index}]` };
    put(here, pathOf(subscription, form), bodyOf(subscription, form));
  });
}

const imageOf = (form: NonNullable<SubscriptionForm['images']>[number], now: number): StatedImage => ({
  path: form.id,
  publishedAt: form.publishedDate ?? now,
  endOfLifeAt: form.endOfLifeDate,
  excludedFromLatest: form.excludeFromLatest ?? false,
  targetRegions: form.targetRegions,
});

function platformVersionOf({
  imageDeprecationStatus: status,
  ...named
}: NonNullable<SubscriptionForm['platformImages']>[number]): PlatformVersion {
  const deprecation = status && { state: status.imageState, scheduledAt: status.scheduledDeprecationTime };
  return { ...named, deprecation };
}

/** In a subscription of somebody else. */
const managerPath =
  '/subscriptions/99998888-7777-4666-8555-444433332222/resourceGroups/hub/providers/Microsoft.Network/networkManagers/central/securityAdminConfigurations/all';

const adminRuleOf = ({
  network,
  name,
  access,
  direction,
  priority = 100,
  protocol = 'Tcp',
  ports = ['0-65535'],
  sources = ['*'],
  destinations = ['*'],
}: NonNullable<SubscriptionForm['adminRules']>[number]): AdminRule => ({
  ...{ access, direction, priority, protocol, ports, sources, destinations },
  path: `${managerPath}/ruleCollections/base/rules/${name}`,
  network: keyOf(network),
});

/** `Microsoft.Network/virtualNetworks/subnets` named `core/app` is `…/virtualNetworks/core/subnets/app`. */
function pathOf(subscription: Subscription, { type, group, name }: ResourceForm): string {
  const [namespace = '', ...types] = type.split('/');
  const names = name.split('/');
  const segments = types.flatMap((each, index) => [each, names[index] ?? '']);
  return `${groupPath(subscription.id, group)}/providers/${namespace}/${segments.join('/')}`;
}

function bodyOf(subscription: Subscription, form: ResourceForm): object {
  const { type, group, location, tags, properties, body } = form;
  const isChild = type.split('/').length > 2;
  const home = subscription.groups.get(keyOf(groupPath(subscription.id, group)))?.location;
  const place = isChild ? {} : { location: location ?? home };
  return {
    ...Object.fromEntries(body ?? []),
    ...place,
    ...tagged(tags),
    ...(properties === undefined ? {} : { properties }),
  };
}

function tagged(tags: ReadonlyMap<string, string> | undefined): object {
  return tags ? { tags: Object.fromEntries(tags) } : {};
}

function put({ subscription, now, path: place }: Loading, path: string, body: object): void {
  const found = find('PUT', path.slice(`/subscriptions/${subscription.id}`.length));
  if (typeof found === 'string') throw new JsonProblem(`${place}: nothing of the sandbox can be put at ${path}`);
  const request = { origin: '', path, query: {}, headers: {}, body: JSON.parse(JSON.stringify(body)) };
  explained(place, () => {
    found.method.answer({
      subscription: { ...subscription, durations: AT_ONCE },
      parameters: found.parameters,
      request,
      now,
      answerFaults: {},
    });
  });
}

/** Adds the position in the document to a refusal of ARM. */
function explained<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { details = [] } = error.refusal as { readonly details?: readonly { readonly message: string }[] }; // why: ARM's refusals have them, see errors.ts
    throw new JsonProblem([`${path}: ${error.message}`, ...details.map(({ message }) => message)].join(' '), {
      cause: error,
    });
  }
}

/**
 * The contents of subscriptions, as a file gives them: resources as ARM accepts them, in the order of their creation.
 *
 * ```json
 * { "subscriptions": [{
 *   "id": "11112222-…",                                        left out: the sandbox's first
 *   "groups": [{ "name": "Rg", "location": "westeurope", "tags": {} }],
 *   "outside": ["/subscriptions/…/routeTables/x"],             known, and no more: resources may refer to them
 *   "images": [{                                               of somebody's own, in a gallery, or in a public one
 *     "id": "/CommunityGalleries/somebody-1a2b/images/web/versions/1.0.0", "publishedDate": "2023-01-31T08:00:00Z",
 *     "endOfLifeDate": "2025-01-31T08:00:00Z", "excludeFromLatest": true, "targetRegions": ["westeurope"] }],
 *   "platformImages": [{                                       further versions of the marketplace
 *     "publisher": "somebody", "offer": "web", "sku": "free", "version": "1.0.0",
 *     "imageDeprecationStatus": { "imageState": "ScheduledForDeprecation",
 *       "scheduledDeprecationTime": "2025-01-31T08:00:00Z" } }],
 *   "resources": [{
 *     "type": "Microsoft.Network/virtualNetworks", "group": "Rg", "name": "core",     required; a child is "core/app"
 *     "location": "westeurope",                                left out: its group's
 *     "tags": {},
 *     "properties": { "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] }, "subnets": [ … ] },
 *     "body": { "sku": { "name": "Standard" } }                whatever else the type's PUT takes at its top
 *   }],
 *   "adminRules": [{                                           of a network manager outside of the subscription
 *     "network": "/subscriptions/…/virtualNetworks/core", "name": "no-ssh", "access": "Deny", "direction": "Inbound",
 *     "priority": 10, "ports": ["22"],                         left out: 100; all ports, of TCP
 *     "sources": ["Internet"], "destinations": ["*"]           left out: any
 *   }]
 * }] }
 * ```
 *
 * Loading refuses the resources that ARM refuses, with their position in the document. References are full ids.
 */
const text = scalar('string');

const tags = optional(mapOf(text));

const group = object({ name: text, location: text, tags });

const resource = object({
  type: pattern(/^Microsoft\.\w+(?:\/\w+)+$/, 'a type such as Microsoft.Network/virtualNetworks'),
  group: text,
  name: text,
  location: optional(text),
  tags,
  properties: (value: unknown) => value,
  body: optional(mapOf((value: unknown) => value)),
});

const adminRule = object({
  network: text,
  name: text,
  access: oneOf('Allow', 'Deny', 'AlwaysAllow'),
  direction: oneOf('Inbound', 'Outbound'),
  priority: optional(scalar('number')),
  protocol: optional(text),
  ports: optional(listOf(text)),
  sources: optional(listOf(text)),
  destinations: optional(listOf(text)),
});

const image = object({
  id: pattern(/^\/(?:subscriptions|communityGalleries|sharedGalleries)\/.+$/i, 'the id of an image'),
  publishedDate: optional(moment),
  endOfLifeDate: optional(moment),
  excludeFromLatest: optional(scalar('boolean')),
  targetRegions: optional(listOf(text)),
});

const platformImage = object({
  publisher: text,
  offer: text,
  sku: text,
  version: pattern(/^\d+\.\d+\.\d+$/, 'a version such as 1.0.0'),
  imageDeprecationStatus: optional(
    object({
      imageState: oneOf('Active', 'ScheduledForDeprecation', 'Deprecated'),
      scheduledDeprecationTime: optional(moment),
    }),
  ),
});

const subscription = object({
  id: optional(text),
  adminRules: optional(listOf(adminRule)),
  groups: optional(listOf(group)),
  outside: optional(listOf(text)),
  images: optional(listOf(image)),
  platformImages: optional(listOf(platformImage)),
  resources: optional(listOf(resource)),
});

const readEstate = object({ subscriptions: listOf(subscription) });

type SubscriptionForm = ReturnType<typeof subscription>;

type ResourceForm = ReturnType<typeof resource>;
