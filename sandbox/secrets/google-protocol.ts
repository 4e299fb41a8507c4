import { type Answer, type Call, jsonAnswer, type Protocol, type Refusal, Refused } from '../protocol.ts';
import type { SecretStore, Version } from './secret-store.ts';

const ACCESS = /^\/v1\/(projects\/([^/?]+)\/secrets\/[^/?]+)\/versions\/([^/?:]+):access(?:\?.*)?$/;

/** AccessSecretVersion: https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access */
export function googleProtocol(store: SecretStore): Protocol {
  return {
    accepts: ({ method, path }) => method === 'GET' && ACCESS.test(path),
    read: ({ path, headers }) => {
      if (!/^Bearer \S+$/.test(headers['authorization'] ?? ''))
        throw failed('UNAUTHENTICATED', 'Request is missing required authentication credential.');
      const [, name = '', account = '', version = ''] = ACCESS.exec(path) ?? [];
      const params = { name, version };
      return { service: 'secretmanager', account, region: 'global', action: 'AccessSecretVersion', params };
    },
    mutates: () => false,
    charges: () => [],
    answer: (call) => {
      try {
        return jsonAnswer({ body: accessed(call, store) });
      } catch (error) {
        if (error instanceof Refused) return refusal(error.refusal);
        throw error;
      }
    },
    refuse: (reason, _, call) => refusal(explained(reason, call)),
  };
}

function accessed({ params: { name = '', version = '' } }: Call, store: SecretStore): object {
  const versions = store.versions(name) ?? [];
  const number = version === 'latest' ? versions.length : Number(version);
  const found: Version | undefined = versions[number - 1];
  const path = `${name}/versions/${number || version}`;
  if (found === undefined) throw failed('NOT_FOUND', `Secret Version [${path}] not found.`);
  if (!found.enabled) throw failed('FAILED_PRECONDITION', `Secret Version [${path}] is in DISABLED state.`);
  return { name: path, payload: { data: Buffer.from(found.value).toString('base64') } };
}

/** https://cloud.google.com/apis/design/errors#handling_errors */
const STATUS: Readonly<Record<string, number>> = {
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
};

const failed = (code: string, message: string): Refused => new Refused({ code, status: STATUS[code] ?? 500, message });

function explained(reason: Refusal | 'throttled' | 'denied', call: Call | undefined): Refusal {
  if (reason === 'throttled')
    return { code: 'RESOURCE_EXHAUSTED', status: 429, message: "Quota exceeded for quota metric 'Access requests'." };
  if (reason !== 'denied') return reason;
  const where = `${call?.params['name']}/versions/${call?.params['version']}`;
  const message = `Permission 'secretmanager.versions.access' denied for resource '${where}' (or it may not exist).`;
  return { code: 'PERMISSION_DENIED', status: 403, message };
}

const refusal = ({ code, status, message }: Refusal): Answer =>
  jsonAnswer({ status, body: { error: { code: status, message, status: code } }, errorCode: code });
