import type { WireRequest } from '../protocol.ts';
import { refused } from './errors.ts';
import type { Asked, Method } from './method.ts';
import { METHODS } from './methods/index.ts';
import type { Scope } from './records.ts';

export const PREFIX = '/compute/v1/';

export interface Request {
  readonly method: Method;
  readonly project: string;
  readonly scope: Scope;
  readonly asked: Asked;
}

/** Parses a request. Throws the refusals that Google's front end gives before it looks at the project. */
export function parseRequest(request: WireRequest): Request {
  const [path = '', search = ''] = splitOnce(request.path, '?');
  const segments = path.slice(PREFIX.length).split('/').map(decodeURIComponent);
  const [projects, project = '', ...rest] = segments;
  const found = projects === 'projects' && project ? findMethod(request.method, rest) : undefined;
  if (!found) throw refused('notFound', `The sandbox has no method of Compute Engine at ${request.method} ${path}.`);
  const { method, at } = found;
  const query = Object.fromEntries(new URLSearchParams(search));
  checkQuery(method, query);
  return { method, project, scope: scopeOf(at), asked: { at, query, body: bodyOf(request.body) } };
}

interface Found {
  readonly method: Method;
  readonly at: Readonly<Record<string, string>>;
}

function findMethod(verb: string, segments: readonly string[]): Found | undefined {
  for (const method of METHODS.values()) {
    const at = method.verb === verb ? variables(method.path, segments) : undefined;
    if (at) return { method, at };
  }
  return undefined;
}

function variables(template: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const parts = template === '' ? [] : template.split('/');
  if (parts.length !== segments.length) return undefined;
  const at: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith('{') && segment !== '') at[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return at;
}

function scopeOf({ zone, region }: Readonly<Record<string, string>>): Scope {
  if (zone !== undefined) return `zones/${zone}`;
  return region === undefined ? 'global' : `regions/${region}`;
}

/** Parameters that every method accepts, and that change no answer: https://docs.cloud.google.com/apis/docs/system-parameters */
const SYSTEM: ReadonlySet<string> = new Set([
  'alt',
  '$alt',
  'prettyPrint',
  '$prettyPrint',
  'quotaUser',
  'key',
  '$unique',
]);

function checkQuery(method: Method, query: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(query)) {
    if (!SYSTEM.has(name) && !method.query.includes(name))
      throw refused(
        'badRequest',
        `The sandbox knows no query parameter "${name}" of ${method.id}; known are ${method.query.join(', ')}.`,
      );
  }
  if ((query['alt'] ?? query['$alt'] ?? 'json') !== 'json')
    throw refused('badRequest', 'The sandbox answers JSON only: leave alt out.');
}

/** The SDK sends `""` where there is no body. */
function bodyOf(body: string): unknown {
  if (body === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    return parsed === '' ? undefined : parsed;
  } catch (error) {
    throw refused('parseError', `Invalid JSON payload received. ${error instanceof Error ? error.message : ''}`);
  }
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
