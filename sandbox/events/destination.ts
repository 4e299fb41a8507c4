import { expected, listOf, object, oneOf, optional, type Reader, scalar } from '../json.ts';

/** A receiver of one cloud's audit events. */
export type Destination = AwsDestination | GcpDestination | AzureDestination;

interface Sending {
  /** http, on this machine only: whatever the sandbox tells, it tells nobody else. */
  readonly url: string;
  /** Writes by clients whose user agent has one of these in it are not told. Default: all are. */
  readonly except?: readonly string[] | undefined;
  /** Delay after the write, in real time. Default 0; the clouds take seconds to minutes. */
  readonly delayMs?: number | undefined;
  /** The share, in [0, 1], of events that are sent twice. Default 0. */
  readonly duplicates?: number | undefined;
  /** Attempts to send one event before it is dropped. Default 8, in about 11 s. */
  readonly attempts?: number | undefined;
}

/** An EventBridge API destination, whose connection authorises by an API key. */
export interface AwsDestination extends Sending {
  readonly cloud: 'aws';
  readonly apiKey: string;
  /** The name of the header that has it; default `x-api-key`. */
  readonly header?: string | undefined;
}

/** A Pub/Sub push subscription with authentication. */
export interface GcpDestination extends Sending {
  readonly cloud: 'gcp';
  readonly audience: string;
  /** The e-mail address of the account that its tokens are of. */
  readonly serviceAccount: string;
}

/** An Event Grid webhook; a secret of its own is part of the URL's query. */
export interface AzureDestination extends Sending {
  readonly cloud: 'azure';
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

const url: Reader<string> = (value, path) => {
  const parsed = typeof value === 'string' ? URL.parse(value) : null;
  if (parsed?.protocol !== 'http:' || !LOOPBACK.has(parsed.hostname))
    throw expected('an http URL on this machine, such as http://127.0.0.1:8080/v1/hooks/acme/aws', value, path);
  return parsed.href;
};

const atLeast =
  (least: number, most: number): Reader<number> =>
  (value, path) => {
    const read = scalar('number')(value, path);
    if (!(read >= least && read <= most)) throw expected(`a number from ${least} to ${most}`, value, path);
    return read;
  };

const string = scalar('string');

const sending = {
  url,
  except: optional(listOf(string)),
  delayMs: optional(atLeast(0, 3_600_000)),
  duplicates: optional(atLeast(0, 1)),
  attempts: optional(atLeast(1, 1000)),
};

const READERS = {
  aws: object({ ...sending, cloud: oneOf('aws'), apiKey: string, header: optional(string) }),
  gcp: object({ ...sending, cloud: oneOf('gcp'), audience: string, serviceAccount: string }),
  azure: object({ ...sending, cloud: oneOf('azure') }),
} satisfies { readonly [C in Destination['cloud']]: Reader<Destination> };

const cloudName = oneOf('aws', 'gcp', 'azure');

/** Reads a list of destinations; throws a `JsonProblem` that says which entry is wrong, and what was expected. */
export const readDestinations: Reader<readonly Destination[]> = listOf((value, path) => {
  const named = typeof value === 'object' && value !== null && 'cloud' in value ? value.cloud : undefined;
  return READERS[cloudName(named, `${path}.cloud`)](value, path);
});
