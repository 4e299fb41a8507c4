import { type Failure, withWait } from '../../src/core/failure.ts';
import { retryAfterOf } from '../../src/core/retry-after.ts';
import { AnswerRefused } from '../shared/json-answer.ts';

/**
 * The failure class of EC2's and STS's codes. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 * A code that is not here is terminal: a wrong retry can make a second resource, a wrong stop only makes a page.
 */
const meanings: Readonly<Record<string, Failure['kind']>> = {
  RequestLimitExceeded: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  ThrottledException: 'throttled',
  EC2ThrottledException: 'throttled',
  RequestThrottled: 'throttled',
  RequestThrottledException: 'throttled',
  TooManyRequestsException: 'throttled',
  SlowDown: 'throttled',
  BandwidthLimitExceeded: 'throttled',

  InternalError: 'retryable',
  InternalFailure: 'retryable',
  Unavailable: 'retryable',
  ServiceUnavailable: 'retryable',
  InsufficientInstanceCapacity: 'retryable',
  InsufficientHostCapacity: 'retryable',
  InsufficientCapacity: 'retryable',
  ConcurrentTagAccess: 'retryable',
  // The SDK corrects its clock by the answer, so the same request can pass.
  RequestExpired: 'retryable',
  RequestTimeTooSkewed: 'retryable',

  DependencyViolation: 'conflict',
  IncorrectState: 'conflict',
  IncorrectInstanceState: 'conflict',
  IncorrectModificationState: 'conflict',
  // The token was used: the resource of the first call may exist.
  IdempotentParameterMismatch: 'ambiguous',
  IdempotentInstanceTerminated: 'conflict',
  'InvalidGroup.Duplicate': 'conflict',
  'InvalidGroup.InUse': 'conflict',
  'InvalidPermission.Duplicate': 'conflict',
  'InvalidSubnet.Conflict': 'conflict',
  'Resource.AlreadyAssociated': 'conflict',
  'Resource.AlreadyAttached': 'conflict',
  RouteAlreadyExists: 'conflict',
  'Gateway.NotAttached': 'conflict',
  InvalidNextToken: 'conflict',
  InvalidPaginationToken: 'conflict',
  VolumeInUse: 'conflict',

  'InvalidAMIID.NotFound': 'terminal',
  'InvalidAMIID.Unavailable': 'terminal',
  'InvalidAMIID.Malformed': 'terminal',
  'InvalidAssociationID.NotFound': 'not-found',
  'InvalidGroup.NotFound': 'not-found',
  'InvalidGroupId.Malformed': 'terminal',
  'InvalidInstanceID.NotFound': 'not-found',
  'InvalidInstanceID.Malformed': 'terminal',
  'InvalidInternetGatewayID.NotFound': 'not-found',
  'InvalidInternetGatewayId.Malformed': 'terminal',
  'InvalidPermission.NotFound': 'not-found',
  'InvalidRoute.NotFound': 'not-found',
  'InvalidRouteTableID.NotFound': 'not-found',
  'InvalidRouteTableId.Malformed': 'terminal',
  'InvalidSecurityGroupRuleId.NotFound': 'not-found',
  'InvalidSubnetID.NotFound': 'not-found',
  'InvalidVolume.NotFound': 'not-found',
  'InvalidVpcID.NotFound': 'not-found',

  AuthFailure: 'terminal',
  UnauthorizedOperation: 'terminal',
  AccessDenied: 'terminal',
  ExpiredToken: 'terminal',
  InvalidClientTokenId: 'terminal',
  SignatureDoesNotMatch: 'terminal',
  OptInRequired: 'terminal',
  OperationNotPermitted: 'terminal',
  InstanceLimitExceeded: 'terminal',
  VcpuLimitExceeded: 'terminal',
  VpcLimitExceeded: 'terminal',
  SubnetLimitExceeded: 'terminal',
  SecurityGroupLimitExceeded: 'terminal',
  RulesPerSecurityGroupLimitExceeded: 'terminal',
  InternetGatewayLimitExceeded: 'terminal',
  RouteTableLimitExceeded: 'terminal',
  SecurityGroupsPerInstanceLimitExceeded: 'terminal',
  SecurityGroupsPerInterfaceLimitExceeded: 'terminal',
  TagLimitExceeded: 'terminal',
  InsufficientFreeAddressesInSubnet: 'terminal',
  InvalidParameterValue: 'terminal',
  InvalidParameterCombination: 'terminal',
  InvalidParameter: 'terminal',
  MissingParameter: 'terminal',
  InvalidVpcRange: 'terminal',
  'InvalidVpc.Range': 'terminal',
  'InvalidSubnet.Range': 'terminal',
  'InvalidGroup.Reserved': 'terminal',
  'InvalidKeyPair.NotFound': 'terminal',
  'InvalidPrefixListID.NotFound': 'terminal',
  CannotDelete: 'terminal',
  Unsupported: 'terminal',
  UnsupportedOperation: 'terminal',
  VolumeModificationRateExceeded: 'terminal',
  CredentialsProviderError: 'terminal',
};

/** Of how many there may be. */
const quotas: ReadonlySet<string> = new Set([
  'InstanceLimitExceeded',
  'VcpuLimitExceeded',
  'VpcLimitExceeded',
  'SubnetLimitExceeded',
  'SecurityGroupLimitExceeded',
  'RulesPerSecurityGroupLimitExceeded',
  'InternetGatewayLimitExceeded',
  'RouteTableLimitExceeded',
  'InsufficientFreeAddressesInSubnet',
]);

/** Node's codes for a request that never left: https://nodejs.org/api/errors.html#common-system-errors */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** The parts of a request that change the meaning of an error. */
export interface Sent {
  readonly mutating: boolean;
  readonly makesTwins?: boolean;
}

/**
 *   what came back                          | read      | write
 *   ----------------------------------------+-----------+-------------------------------
 *   a code of the table                     | as the table says
 *   a server error, and a write makes twins | retryable | ambiguous: it may have been done
 *   nothing, and it was never sent          | retryable | retryable
 *   nothing: a region's host has no address | terminal  | retryable
 *   nothing: reset, timeout, abort          | retryable | ambiguous
 *   another code                            | terminal  | terminal
 */
export function toFailure(error: unknown, sent: Sent): Failure {
  const seen = detailsOf(error);
  const about = {
    code: seen.code,
    message: seen.message,
    ...(seen.requestId ? { requestId: seen.requestId } : {}),
    ...(quotas.has(seen.code) ? { quota: true as const } : {}),
    ...(seen.code === 'IdempotentInstanceTerminated' ? { ended: true as const } : {}),
    ...(seen.noRegion === undefined || sent.mutating ? {} : { region: seen.noRegion }),
  };
  return withWait({ kind: kindOf(seen, sent), ...about }, seen.retryAfterMs);
}

interface ErrorDetails {
  readonly code: string;
  readonly message: string;
  readonly requestId: string | undefined;
  /** Undefined: no answer came. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** No answer came, as the host of this region has no address. */
  readonly noRegion: string | undefined;
}

function kindOf({ code, status, noRegion }: ErrorDetails, sent: Sent): Failure['kind'] {
  // why: a name that the network says does not exist has no address in 30 s either; a write comes after reads that found one
  if (noRegion !== undefined) return sent.mutating ? 'retryable' : 'terminal';
  const unanswered = sent.mutating ? 'ambiguous' : 'retryable';
  const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  if (known === 'retryable' && sent.makesTwins && (status ?? 0) >= 500) return 'ambiguous';
  if (known !== undefined) return known;
  if (neverSent.has(code)) return 'retryable';
  if (status === undefined) return unanswered;
  if (status >= 500) return sent.makesTwins ? 'ambiguous' : 'retryable';
  return status < 400 ? unanswered : 'terminal';
}

const longestMessage = 600;

function detailsOf(error: unknown): ErrorDetails {
  const { name, code, message, $metadata, $response } = shapeOf(error);
  const headers = $response?.headers;
  const isUnread = error instanceof AnswerRefused;
  const hasCode = isUnread || $metadata === undefined;
  return {
    code: (hasCode && typeof code === 'string' && code) || named(name, $response?.statusCode),
    message: withRegion((message ?? String(error)).replace(hint, '')).slice(0, longestMessage),
    noRegion: $metadata?.httpStatusCode === undefined ? unknownHost.exec(message ?? '')?.[1] : undefined,
    requestId: $metadata?.requestId,
    status: isUnread ? undefined : ($metadata?.httpStatusCode ?? $response?.statusCode),
    retryAfterMs: retryAfterOf(headers?.['retry-after'], headers?.['date']),
  };
}

/** The SDK adds it to the message of whatever the reading of an answer throws. */
const hint = /\n {2}Deserialization error: to see the raw response.*/;

/** Not EAI_AGAIN: with that the network could not tell. */
const unknownHost = /^getaddrinfo ENOTFOUND \w+\.([a-z0-9-]+)\.amazonaws\.com/;

/** AWS has a host name for each region: where a name has no address, the region may be none. */
const withRegion = (message: string): string =>
  message.replace(
    /^getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\w+\.([a-z0-9-]+)\.amazonaws\.com\S*)$/,
    'the host $1 is unknown, so "$2" may not be a region of AWS. Correct `region:` of the target. To list the regions: aws ec2 describe-regions --all-regions --region us-east-1. If the region exists, check the network of this machine.',
  );

/** An answer that is no answer of EC2's, as a proxy gives, has no code but its status. */
function named(name: string | undefined, status: number | undefined): string {
  if (status !== undefined && (name === undefined || name === 'Error' || name === 'SyntaxError'))
    return `Http${status}`;
  return name ?? 'Unknown';
}

/** The fields that the SDK and Node put on thrown errors. */
interface Thrown {
  readonly name?: string;
  readonly code?: string | number;
  readonly message?: string;
  readonly $metadata?: { readonly requestId?: string; readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> };
}

// why: a thrown value has no type; every property is read as optional
const shapeOf = (error: unknown): Thrown => (typeof error === 'object' && error !== null ? (error as Thrown) : {});
