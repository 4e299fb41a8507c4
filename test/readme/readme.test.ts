import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../scripts/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type Running, type ShellSession, shellSession } from './shell-session.ts';

const root = join(import.meta.dirname, '../..');
/** README, and the page that continues it. A reader follows one after the other. */
const readme = ['README.md', 'docs/tutorial.md'].map((page) => readFileSync(join(root, page), 'utf8')).join('\n');

/** README's ports of the sandbox, the API and the health port. They are run as printed. */
const ports = [4566, 7420, 9464];

/** Sections whose blocks need more than Node and npm, or that run this test. */
const elsewhere: readonly (readonly [first: string, why: string])[] = [
  ['npm run demo', '.ci/run runs both'],
  ['$ setpoint plan', 'an excerpt of the demo, which asserts it'],
  ['docker compose up', 'test/deploy runs the compose file; it needs Docker'],
];

/** Lines that do not just end with 0 by themselves. The first pattern that fits the line counts. */
const special: readonly (readonly [line: RegExp, how: How])[] = [
  [/^export |^ask\(\)/, { by: 'remember' }],
  [/ sandbox$/, { by: 'service', ready: /http:\/\/127\.0\.0\.1:4566/ }],
  [/ serve --repo /, { by: 'service', ready: /new generation .*revision=git:/ }],
  // why: the next lines need the generation that this line's change of the specs makes
  [/ serve .*--interval 15s/, { by: 'service', ready: /new generation .*revision=folder:/ }],
  [/ serve( |$)/, { by: 'service', ready: /worker started/ }],
  [/ (apply|approve) /, { by: 'typing', types: 'yes', shows: /Applied|Approved|Nothing/ }],
  [/ login /, { by: 'typing', types: 'TOKEN', shows: /./ }],
  [/-- status$/, { by: 'polling', shows: /^(Withheld drift: 1 resource by mode: setpoint approve|Status: acme)/m }],
  [/ ledger gcp\//, { by: 'polling', shows: /settlement +update .* ok / }],
  [/--detailed-exitcode/, { by: 'running', codes: [0, 2] }],
  [/ sql -c /, { by: 'running', needs: 'psql' }],
  [/^curl -N /, { by: 'stream', shows: /event:|data:|^:/m }],
  [/^ask /, { by: 'running', never: /"status": ?[45]\d\d/ }],
];

type How =
  | { readonly by: 'remember' }
  | { readonly by: 'service' | 'polling' | 'stream'; readonly ready?: RegExp; readonly shows?: RegExp }
  | { readonly by: 'typing'; readonly types: string; readonly shows: RegExp }
  | { readonly by: 'running'; readonly codes?: readonly number[]; readonly needs?: string; readonly never?: RegExp };

const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, language, text = '']) =>
  language === '' ? [text.trimEnd()] : [],
);
const isElsewhere = (block: string): boolean => elsewhere.some(([first]) => block.startsWith(first));

/** A line without the remark behind it. */
const commandOf = (line: string): string => line.replace(/\s{2,}# .*$/, '').trim();

describe('README', () => {
  it('names each kind of block that the test leaves out', () => {
    for (const [first] of elsewhere)
      assert.ok(
        blocks.some((block) => block.startsWith(first)),
        first,
      );
  });

  it('works as printed, from top to bottom', async (t) => {
    const taken = await portsTaken();
    if (taken.length > 0) {
      if (process.env['CI']) assert.fail(`the ports ${taken} of README are in use, and CI leaves nothing out`);
      return t.skip(`the ports ${taken} of README are in use`);
    }
    let reader: Reader | undefined;
    // why: the first registered runs first, and the folder goes only after its users have ended
    t.after(() => reader?.leave());
    reader = readerOf(newcomer(t));
    for (const line of blocks.filter((block) => !isElsewhere(block)).flatMap((block) => block.split('\n'))) {
      const command = commandOf(line);
      if (command !== '') await reader.follow(command);
    }
  });
});

interface Reader {
  follow(command: string): Promise<void>;
  /** Ends the running processes. */
  readonly leave: () => Promise<void>;
}

/** Follows README, one line after another, and fills in the values that README cannot know. */
function readerOf({ shell, folder }: { readonly shell: ShellSession; readonly folder: string }): Reader {
  const services = new Map<string, Running>();
  let token = '';
  const filled = (command: string): string => {
    if (!/HEAD~1|1a2b3c4/.test(command)) return command.replace('setpoint_…', token);
    const infra = join(folder, 'infra');
    return command.replace(
      '1a2b3c4',
      execFileSync('git', ['-C', infra, 'rev-list', '--max-parents=0', 'HEAD'], text).trim(),
    );
  };
  const serviceOf = async (command: string, ready: RegExp): Promise<void> => {
    const name = / sandbox$/.test(command) ? 'sandbox' : 'serve';
    await services.get(name)?.end();
    const service = shell.start(command);
    services.set(name, service);
    await service.until(ready);
    token = /setpoint_\w+_[\w-]{43}/.exec(service.said())?.[0] ?? token;
  };
  const streamed = async (command: string, shows: RegExp): Promise<void> => {
    const stream = shell.start(command);
    await stream.until(shows);
    await stream.end();
  };
  const run = async (
    command: string,
    { codes = [0], needs, never }: Extract<How, { by: 'running' }>,
  ): Promise<void> => {
    if (needs !== undefined && spawnSync(needs, ['--version']).status !== 0) return;
    const { code, said } = await shell.run(command);
    assert.ok(codes.includes(code) && !never?.test(said), `${command} ended with ${code}:\n${said}`);
  };
  return {
    leave: async () => {
      for (const service of [...services.values()].reverse()) await service.end();
      // why: where others could not enter the folder, its database lies elsewhere
      const home = join(folder, '.setpoint/home');
      if (existsSync(home)) rmSync(readFileSync(home, 'utf8').trim(), { recursive: true, force: true });
    },
    follow: async (printed) => {
      if (printed.includes('HEAD~1')) await secondCommit(join(folder, 'infra'), services.get('serve'));
      const command = filled(printed);
      const how: How = special.find(([line]) => line.test(printed))?.[1] ?? { by: 'running' };
      switch (how.by) {
        case 'remember':
          return shell.remember(command);
        case 'service':
          return serviceOf(command, how.ready ?? /$/);
        case 'stream':
          return streamed(command, how.shows ?? /./);
        case 'polling':
          return until(command, async () => (how.shows ?? /./).test((await shell.run(command)).said), 240_000);
        case 'typing': {
          const { code, said } = await shell.runTyping(command, how.types === 'TOKEN' ? token : how.types);
          assert.ok(code === 0 && how.shows.test(said), `${printed} ended with ${code}:\n${said}`);
          return;
        }
        case 'running':
          return run(command, how);
      }
    },
  };
}

const text = { encoding: 'utf8' } as const;

/** README speaks of a second commit and leaves it to the reader. Waits until `serve` follows it. */
async function secondCommit(infra: string, serve: Running | undefined): Promise<void> {
  const git = (...args: readonly string[]): void => void execFileSync('git', ['-C', infra, ...args], text);
  git('-c', 'user.name=me', '-c', 'user.email=me@acme.example', 'commit', '-q', '--allow-empty', '-m', 'second');
  const commit = execFileSync('git', ['-C', infra, 'rev-parse', 'HEAD'], text).trim();
  await serve?.until(new RegExp(`new generation .*revision=git:${commit}`));
}

/** A fresh clone of the commit, with the packages of this checkout, and a home of its own. */
function newcomer(t: TestContext): { readonly shell: ShellSession; readonly folder: string } {
  const home = temporaryFolder(t);
  const folder = join(home, 'setpoint');
  execFileSync('git', ['clone', '--quiet', root, folder]);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(home, 'tmp'));
  const others = /^(SETPOINT_|AWS_|AZURE_|GOOGLE_|DATABASE_URL|REDIS_URL|NODE_TEST|FORCE_COLOR)/;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !others.test(name)));
  return { shell: shellSession(folder, { ...own, HOME: home }), folder };
}

async function portsTaken(): Promise<readonly number[]> {
  const taken: number[] = [];
  for (const port of ports) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isFree) await new Promise((resolve) => server.close(resolve));
    else taken.push(port);
  }
  return taken;
}
