import { writable } from './writable.ts';

/**
 * A resource as ARM wrote it. What is changed is written back from this, so that nothing in it is lost that a newer API or a
 * colleague's tool has put there.
 */
export interface RawResource {
  readonly id: string;
  readonly etag?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties: RawProperties;
}

export interface RawProperties {
  readonly resourceGuid?: string;
  readonly subnets?: readonly RawChild[];
  readonly securityRules?: readonly RawChild[];
  /** Of a network interface. */
  readonly ipConfigurations?: readonly RawChild[];
}

export interface RawChild {
  readonly name?: string;
  readonly etag?: string;
  readonly properties?: object;
}

/** `body`: an answer of ARM's, parsed. Throws on what is no resource. */
export function readRaw(body: unknown): RawResource {
  // why: what is used of it is checked here, or optional
  const raw = body as Partial<RawResource>;
  const { id, properties } = raw;
  if (typeof id !== 'string' || typeof properties !== 'object') throw new TypeError('the answer is no resource');
  return { ...raw, id, properties };
}

/** The same resource with other rules, or other subnets; all else as it was. */
export const withChildren = (raw: RawResource, children: Pick<RawProperties, 'subnets' | 'securityRules'>): string =>
  JSON.stringify(writable({ ...raw, properties: { ...raw.properties, ...children } }));

/** Names compare without case. */
export const childNamed = (children: readonly RawChild[] | undefined, name: string): RawChild | undefined =>
  (children ?? []).find((child) => child.name?.toLowerCase() === name.toLowerCase());
