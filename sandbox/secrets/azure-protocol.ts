import {
  type Answer,
  type Call,
  jsonAnswer,
  type Protocol,
  type Refusal,
  Refused,
  type WireRequest,
} from '../protocol.ts';
import type { SecretStore } from './secret-store.ts';

/** The vault stands before its own path, as all vaults are at one address here. */
const SECRET = /^\/([a-z][a-z0-9-]+\.vault\.[a-z.]+)\/secrets\/([^/?]+)(?:\/([^/?]*))?(?:\?(.*))?$/i;

interface VaultCall extends Call {
  /** Clients ask without a token first, to be told whose it must be. */
  readonly bearer: boolean;
}

/** Get Secret: https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret. */
export function azureProtocol(store: SecretStore): Protocol<VaultCall> {
  return {
    accepts: ({ method, path }) => method === 'GET' && SECRET.test(path),
    read: (request) => ({
      service: 'keyvault',
      account: SECRET.exec(request.path)?.[1]?.toLowerCase() ?? '',
      region: 'global',
      action: 'GetSecret',
      params: asked(request),
      bearer: /^Bearer \S+$/.test(request.headers['authorization'] ?? ''),
    }),
    mutates: () => false,
    charges: () => [],
    answer: (call) => {
      try {
        if (!call.bearer) throw failed('Unauthorized', 'AKV10000: Request is missing a Bearer or PoP token.');
        return jsonAnswer({ body: bundle(call, store) });
      } catch (error) {
        if (error instanceof Refused) return refusal(error.refusal, call.account);
        throw error;
      }
    },
    refuse: (reason, _, call) => refusal(explained(reason), call?.account ?? ''),
  };
}

function asked({ path }: WireRequest): Readonly<Record<string, string>> {
  const [, , name = '', version = '', query = ''] = SECRET.exec(path) ?? [];
  const api = new URLSearchParams(query).get('api-version');
  if (api === null) throw failed('BadParameter', 'AKV10001: The api-version query parameter is required.');
  return { name, version, 'api-version': api };
}

function bundle({ account: vault, params: { name = '', version = '' } }: Call, store: SecretStore): object {
  const id = `https://${vault}/secrets/${name}`;
  const versions = store.versions(id) ?? [];
  const found = version === '' ? versions.at(-1) : versions.find((each) => each.id === version);
  if (found === undefined)
    throw failed('SecretNotFound', `A secret with (name/id) ${name} was not found in this key vault.`);
  if (!found.enabled) throw failed('SecretDisabled', 'Operation get is not allowed on a disabled secret.');
  const attributes = { enabled: true, created: 1, updated: 1, recoveryLevel: 'Recoverable+Purgeable' };
  return { value: Buffer.from(found.value).toString('utf8'), id: `${id}/${found.id}`, attributes };
}

/** https://learn.microsoft.com/azure/key-vault/general/rest-error-codes */
const STATUS: Readonly<Record<string, number>> = {
  BadParameter: 400,
  Unauthorized: 401,
  Forbidden: 403,
  SecretDisabled: 403,
  SecretNotFound: 404,
  Throttled: 429,
};

const failed = (code: string, message: string): Refused => new Refused({ code, status: STATUS[code] ?? 500, message });

function explained(reason: Refusal | 'throttled' | 'denied'): Refusal {
  if (reason === 'throttled')
    return { code: 'Throttled', status: 429, message: 'Request was not processed because too many were received.' };
  if (reason !== 'denied') return reason;
  const message =
    'Caller is not authorized to perform action on resource. Action: Microsoft.KeyVault/vaults/secrets/getSecret/action';
  return { code: 'Forbidden', status: 403, message };
}

/** A 401 says who gives tokens: https://learn.microsoft.com/azure/key-vault/general/authentication-requests-and-responses */
const CHALLENGE =
  'Bearer authorization="https://login.microsoftonline.com/00000000-0000-4000-8000-000000000000", resource=';

function refusal({ code, status, message }: Refusal, vault: string): Answer {
  const resource = `"https://${vault.replace(/^[^.]*\./, '')}"`;
  const body = code === 'SecretDisabled' ? inner('Forbidden', message, code) : { code, message };
  const headers: Readonly<Record<string, string>> =
    status === 401 ? { 'www-authenticate': `${CHALLENGE}${resource}` } : {};
  return jsonAnswer({ status, headers, body: { error: body }, errorCode: code });
}

const inner = (code: string, message: string, cause: string): object => ({
  code,
  message,
  innererror: { code: cause },
});
