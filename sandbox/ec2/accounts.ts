import type { WireRequest } from '../protocol.ts';
import { hexDigits, type Random } from '../random.ts';
import { refused } from './errors.ts';

export interface AccountOptions {
  /** Twelve digits. */
  readonly id: string;
  /** Whoever signs with one of these is this account. */
  readonly accessKeyIds: readonly string[];
}

export const DEFAULT_ACCOUNTS: readonly AccountOptions[] = [
  { id: '111122223333', accessKeyIds: ['AKIDEXAMPLE', 'AKIASANDBOX111122223', 'test'] },
];

const SCOPE = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/\d{8}\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request/;

export function makeAccounts(options: readonly AccountOptions[], random: Random): Accounts {
  const identities = new Map<string, Identity>();
  const tokens = new Map<string, string>();
  for (const { id, accessKeyIds } of options) {
    if (!/^\d{12}$/.test(id)) throw new RangeError(`account id must be twelve digits, not ${id}`);
    for (const accessKeyId of accessKeyIds) {
      identities.set(accessKeyId, {
        account: id,
        accessKeyId,
        arn: `arn:aws:iam::${id}:user/sandbox`,
        userId: `AIDA${accessKeyId.toUpperCase()}`,
      });
    }
  }
  const ids = options.map(({ id }) => id);
  return {
    ids,
    has: (account) => ids.includes(account),
    caller: (request) => callerOf(request, identities, tokens),
    assume: (roleArn, sessionName) => {
      const [, account = '', role = ''] = /^arn:aws:iam::(\d{12}):role\/(.+)$/.exec(roleArn) ?? [];
      if (!ids.includes(account)) return undefined;
      const accessKeyId = `ASIA${hexDigits(random, 16).toUpperCase()}`;
      const session = { accessKeyId, secretAccessKey: hexDigits(random, 40), sessionToken: hexDigits(random, 64) };
      const name = role.split('/').at(-1) ?? role;
      const identity = {
        account,
        accessKeyId,
        arn: `arn:aws:sts::${account}:assumed-role/${name}/${sessionName}`,
        userId: `AROA${accessKeyId.slice(4)}:${sessionName}`,
      };
      identities.set(accessKeyId, identity);
      tokens.set(accessKeyId, session.sessionToken);
      return { session, identity };
    },
  };
}

function callerOf(
  request: WireRequest,
  identities: ReadonlyMap<string, Identity>,
  tokens: ReadonlyMap<string, string>,
): Caller {
  const [, key, region, service] = SCOPE.exec(request.headers['authorization'] ?? '') ?? [];
  if (!key || !region || !service)
    throw refused('MissingAuthenticationToken', 'Request is missing Authentication Token');
  const identity = identities.get(key);
  if (!identity || tokens.get(key) !== request.headers['x-amz-security-token']) {
    throw refused('AuthFailure', 'AWS was not able to validate the provided access credentials');
  }
  return { ...identity, region, service };
}

/** The service named in the credential scope, so that EC2 and STS can share one address. */
export function signedFor(request: WireRequest): string | undefined {
  return SCOPE.exec(request.headers['authorization'] ?? '')?.[3];
}

export interface Identity {
  readonly account: string;
  readonly accessKeyId: string;
  readonly arn: string;
  readonly userId: string;
}

export interface Caller extends Identity {
  readonly region: string;
  readonly service: string;
}

interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export interface Accounts {
  /** The caller, by the access key in the request's credential scope. The sandbox does not check the signature. */
  caller(request: WireRequest): Caller;
  /** Temporary credentials for a role; undefined when its account is not one of the sandbox's. */
  assume(roleArn: string, sessionName: string): { readonly session: Session; readonly identity: Identity } | undefined;
  has(account: string): boolean;
  readonly ids: readonly string[];
}
