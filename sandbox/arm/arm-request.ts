import type { WireRequest } from '../protocol.ts';
import { refused } from './errors.ts';
import type { ArmRequest } from './method.ts';

/** The request taken apart; refused when it has no well-formed api-version, or a body that is no JSON. */
export function readRequest(request: WireRequest): ArmRequest {
  const [path = '', search = ''] = request.path.split('?');
  const query = Object.fromEntries(
    [...new URLSearchParams(search)].map(([name, value]) => [name.toLowerCase(), value]),
  );
  checkVersion(query['api-version']);
  return {
    origin: `http://${request.headers['host'] ?? '127.0.0.1'}`,
    path,
    query,
    headers: request.headers,
    body: parsed(request.body),
  };
}

/** Every version is spoken that has the form of one. */
function checkVersion(version: string | undefined): void {
  if (version === undefined || version === '')
    throw refused(
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required for all requests.',
    );
  if (!/^\d{4}-\d{2}-\d{2}(?:-[a-z]+)?$/.test(version))
    throw refused(
      'InvalidApiVersionParameter',
      `The api-version '${version}' is invalid. The supported versions have the form yyyy-MM-dd.`,
    );
}

function parsed(body: string): unknown {
  if (body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused(
      'InvalidRequestContent',
      `The request content was invalid and could not be deserialized: '${error.message}'.`,
    );
  }
}
