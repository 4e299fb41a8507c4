import { BlockList, isIP } from 'node:net';

/** An address that git may be given. */
export interface RepositoryUrl {
  /** The address for git, in the one form that was checked. */
  readonly url: string;
  /** For people; no credential can be in it. */
  readonly name: string;
  readonly scheme: 'https' | 'ssh' | 'file';
  /** With its port; '' of a file. */
  readonly host: string;
}

interface UrlRule {
  readonly name: string;
  readonly breaks: (address: Address) => boolean;
  /** The problem and the fix. Repeats nothing of the address, in which a credential may be. */
  readonly message: string;
}

/** An address taken apart; `text` is as it was given. */
interface Address extends RepositoryUrl {
  readonly text: string;
  readonly path: string;
  /** The part before the host's `@`. */
  readonly user: string;
  readonly allowFile: boolean;
}

/** The rules for an address once it has a form of ours. */
const rules: readonly UrlRule[] = [
  { name: 'length', breaks: ({ text }) => text.length > 512, message: 'an address has at most 512 characters' },
  {
    name: 'character',
    breaks: ({ text }) => /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u.test(text),
    message: 'an address holds no blanks, no backslashes and nothing that does not show',
  },
  {
    name: 'file',
    breaks: ({ scheme, allowFile }) => scheme === 'file' && !allowFile,
    message: 'a repository on this machine is read only with --allow-local-repo',
  },
  {
    name: 'credentials',
    breaks: ({ scheme, user }) => (scheme === 'https' ? user !== '' : user.includes(':')),
    message:
      'no user or password stands in an address, where others read it: leave it out and set SETPOINT_SECRET_GIT_TOKEN',
  },
  {
    name: 'user',
    breaks: ({ scheme, user }) => scheme === 'ssh' && !/^(?:[A-Za-z0-9_][\w.-]{0,63})?$/.test(user.split(':')[0] ?? ''),
    message: 'the user before @ is one word, such as git',
  },
  {
    name: 'host',
    breaks: ({ scheme, host }) =>
      scheme !== 'file' && !/^(?:[a-z0-9]|\[[0-9a-f:.]+\](?=:|$))[a-z0-9.-]*(?::\d{1,5})?$/.test(host),
    message: 'the host is a name or an address, with a port where it needs one',
  },
  {
    // why: --allow-local-repo says that this machine and its network are meant
    name: 'inner',
    breaks: ({ scheme, host, allowFile }) => scheme !== 'file' && !allowFile && isInnerHost(host.replace(/:\d+$/, '')),
    message: 'the host is this machine, its own network or its metadata: give the name of a server',
  },
  {
    name: 'query',
    breaks: ({ scheme, text }) => scheme === 'https' && /[?#]/.test(text),
    message: 'no ? or # stands in the address of a repository',
  },
  {
    name: 'escape',
    breaks: ({ text }) => /%(?:[01][0-9a-f]|2[ef]|5c|7f)/i.test(text),
    message: 'the path hides a dot, a slash or a control character behind %',
  },
  {
    name: 'path',
    breaks: ({ path, scheme }) =>
      path.replaceAll('/', '') === '' || (scheme !== 'file' && !/^[\w~.%+@/,=-]+$/.test(path)),
    message: 'the path names a repository, in letters, digits and ~ . % + @ , = - _ /',
  },
  {
    name: 'steps',
    breaks: ({ path }) => /(?:^|\/)(?:\.{1,2}(?:\/|$)|-)/.test(path),
    message: 'no part of the path is . or .. or begins with a dash',
  },
];

/** Tables, so that a test can leave a row out and see what it was for. */
export interface UrlGuards {
  readonly forms: readonly UrlForm[];
  readonly rules: readonly UrlRule[];
}

/** Takes an address apart; undefined where it is of another form. */
type UrlForm = (text: string) => Omit<Address, 'text' | 'allowFile'> | undefined;

/** Git's other forms, such as `ext::`, run programs. https://git-scm.com/docs/gitremote-helpers */
export const urlGuards: UrlGuards = { forms: [ofHttps, ofSsh, ofFile], rules };

const FORMS = 'give https://host/path, ssh://git@host/path or git@host:path';

/** `refused`: why it is not given to git, and what to do. */
export function readRepositoryUrl(
  text: string,
  allowFile: boolean,
  guards: UrlGuards = urlGuards,
): { readonly url: RepositoryUrl; readonly refused?: never } | { readonly url?: never; readonly refused: string } {
  const parts = guards.forms.reduce<ReturnType<UrlForm>>((found, form) => found ?? form(text), undefined);
  if (parts === undefined) return { refused: `this is no address that git is given: ${FORMS}` };
  const broken = guards.rules.find(({ breaks }) => breaks({ ...parts, text, allowFile }));
  if (broken) return { refused: broken.message };
  const { url, name, scheme, host } = parts;
  return { url: { url, name, scheme, host } };
}

/** In the form that the URL standard gives it, so that git's reading and ours cannot differ. */
function ofHttps(text: string): ReturnType<UrlForm> {
  if (!/^https:\/\/[^/]/i.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null) return undefined;
  const written = /^https:\/\/([^/?#]*)([^?#]*)/i.exec(text);
  const user = written?.[1]?.includes('@') ? (written[1].split('@', 1)[0] ?? '') || '@' : '';
  // why: the standard takes `..` away before anybody can see it
  const path = written?.[2] ?? '';
  return { scheme: 'https', url: url.href, name: url.href, host: url.host, user, path };
}

function ofSsh(text: string): ReturnType<UrlForm> {
  const url = /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]/]*\](?::[^/]*)?|[^@/]*)(\/.*)$/i.exec(text);
  // why: a word alone before the colon is some other scheme
  const short = /^(?:([^@/:]+)@|(?=[^@/:]+\.))(\[[^\]/]*\]|[^@/:]+):(?!:|\/\/)(.*)$/.exec(text);
  const [, user = '', host = '', path = ''] = url ?? short ?? [];
  if (host === '') return undefined;
  const settled = settledHost(host);
  if (settled === undefined) return undefined;
  const at = user === '' ? '' : `${user}@`;
  const whole = url ? `ssh://${at}${settled}${path}` : `${at}${settled}:${path}`;
  return { scheme: 'ssh', url: whole, name: whole, host: settled, user, path };
}

/** `0x7f.1` is 127.0.0.1 to ssh as well. */
function settledHost(host: string): string | undefined {
  const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host) ?? [];
  const url = URL.parse(`https://${name}/`);
  return url === null || url.username !== '' || url.hostname === '' || url.pathname !== '/'
    ? undefined
    : `${url.hostname}${port}`;
}

function ofFile(text: string): ReturnType<UrlForm> {
  if (!/^(?:file:\/\/)?\//i.test(text)) return undefined;
  const path = text.startsWith('/') ? text : decoded(text.slice('file://'.length));
  return path === undefined ? undefined : { scheme: 'file', url: path, name: path, host: '', user: '', path };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry */
const inner: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // shared address space, and the metadata of one cloud
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // link-local, and the metadata of most clouds
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 127],
  // IPv4 inside IPv6: mapped, translated, 6to4, Teredo
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
];

const blocked = new BlockList();
for (const [network, bits] of inner) blocked.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4');

/** Names of this machine, or of a cloud's metadata service. */
const NAMES = /^(?:.*\.)?(?:localhost|localdomain|ip6-localhost|ip6-loopback|internal)$/;

/**
 * True where a host of a URL, as the URL standard writes it (`0x7f.1` has become `127.0.0.1`), is this machine, its network or
 * a metadata service. Of names only the well-known are refused: companies have their repositories at private ones.
 */
function isInnerHost(host: string): boolean {
  const bare = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const version = isIP(bare);
  if (version === 0) return NAMES.test(bare);
  return blocked.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}
