import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that git runs with. Rows of tables, so that a test can leave one out and show its purpose. */
export interface GitSettings {
  /** The variables of ours that git may see. */
  readonly passed: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Configuration, above any that a file holds. */
  readonly config: Readonly<Record<string, string>>;
}

/**
 * Nothing of the machine's or the user's git configuration counts, and nothing runs but git, ssh and what git is made of.
 * https://git-scm.com/docs/git#_environment_variables, https://git-scm.com/docs/git-config
 */
export const gitSettings: GitSettings = {
  passed: [
    ...['PATH', 'TMPDIR', 'SSH_AUTH_SOCK'],
    ...['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'ALL_PROXY', 'all_proxy'],
  ],
  variables: {
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: 'https:ssh',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
  },
  config: {
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'core.symlinks': 'false',
    'core.protectHFS': 'true',
    'core.protectNTFS': 'true',
    'core.filesRefLockTimeout': '3000',
    'core.packedRefsTimeout': '3000',
    // why: what is larger is not held in memory, however it is packed
    'core.bigFileThreshold': '16m',
    'pack.threads': '1',
    'credential.helper': '',
    'fetch.fsckObjects': 'true',
    'transfer.fsckObjects': 'true',
    'transfer.bundleURI': 'false',
    'fetch.recurseSubmodules': 'false',
    'submodule.recurse': 'false',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'protocol.version': '2',
    'http.followRedirects': 'false',
    'http.sslVerify': 'true',
    // why: a server that counts what to send says five bytes in five seconds
    'http.lowSpeedLimit': '1',
    'http.lowSpeedTime': '300',
  },
};

/** No configuration of a user's, no question, no host that is not known already. */
const SSH = [
  'ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=20 -o ServerAliveInterval=15',
  '-o ServerAliveCountMax=2 -o ClearAllForwardings=yes -o PermitLocalCommand=no -o ProxyCommand=none',
].join(' ');

/** The server that git connects to, and the login there. */
export interface GitPeer {
  /** True where it is a local repository, which git reads by starting itself there. */
  readonly isFile: boolean;
  /** Sent to this https:// address only. Given by the environment, as others can read a command line. */
  readonly token?: { readonly value: string; readonly url: string } | undefined;
}

/** The whole environment of a git process; `mirror`: the folder that it works in. */
export function gitEnvironment(
  mirror: string,
  peer: GitPeer,
  env: Environment,
  house: GitSettings = gitSettings,
): Readonly<Record<string, string>> {
  const kept = house.passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...Object.fromEntries(kept),
    ...house.variables,
    ...(peer.isFile && 'GIT_ALLOW_PROTOCOL' in house.variables ? { GIT_ALLOW_PROTOCOL: 'https:ssh:file' } : {}),
    // why: curl reads .netrc and git its files from there; the folder does not exist
    HOME: join(mirror, 'nowhere'),
    XDG_CONFIG_HOME: join(mirror, 'nowhere'),
    ...(env['SETPOINT_GIT_SSH_COMMAND']
      ? { GIT_SSH_COMMAND: env['SETPOINT_GIT_SSH_COMMAND'] }
      : { GIT_SSH_COMMAND: SSH, GIT_SSH_VARIANT: 'ssh' }),
    ...configVariables([...Object.entries(house.config), ...ownCertificates(env), ...authorization(peer)]),
  };
}

type Setting = readonly [key: string, value: string];

function configVariables(settings: readonly Setting[]): Readonly<Record<string, string>> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

function ownCertificates(env: Environment): readonly Setting[] {
  const file = env['SETPOINT_GIT_CA_FILE'];
  return file ? [['http.sslCAInfo', file]] : [];
}

/** GitHub asks for this user, and other forges take any: https://docs.github.com/en/apps/creating-github-apps */
function authorization({ token }: GitPeer): readonly Setting[] {
  if (token === undefined) return [];
  const pair = token.value.includes(':') ? token.value : `x-access-token:${token.value}`;
  return [[`http.${token.url}.extraHeader`, `Authorization: Basic ${Buffer.from(pair).toString('base64')}`]];
}
