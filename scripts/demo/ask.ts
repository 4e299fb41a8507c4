import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Colleagues } from './colleagues.ts';
import { eventSecrets } from './events.ts';
import type { Narrator } from './narrator.ts';
import { type Question, questions } from './questions.ts';
import type { Stage } from './stage.ts';

/** `setpoint serve` with its API, and who may ask it. */
export interface Serving {
  readonly url: string;
  readonly token: string;
  /** SIGTERM, and waits. */
  end(): Promise<void>;
}

const why = 'an incident is looked into';

/** One process follows the repository and answers; what differs is held still for a while, so that it can be asked about. */
export async function ask(stage: Stage, narrator: Narrator, colleagues: Colleagues): Promise<Serving> {
  narrator.chapter(
    'Ask',
    'setpoint serve answers over HTTP, to whoever has a token. Healing is paused, and a colleague opens a port by hand.',
  );
  const serving = await serve(stage);
  try {
    const before = new Date().toISOString();
    await differ(serving, narrator, colleagues);
    for (const question of questions({ before })) await put(question, serving, narrator);
    await narrator.show(['resume', '--healing', '--reason', 'it was looked into', '--in-force'], {
      code: 0,
      shows: [/^Resumed: /],
    });
    await until(
      async () => !(await answerTo({ path: '/v1/inventory?status=Paused,Drifted' }, serving)).includes('8082'),
      'what was healed',
    );
    return serving;
  } catch (error) {
    await serving.end();
    throw error;
  }
}

/** Something differs from here on, and is left as it is. */
export async function differ(serving: Serving, narrator: Narrator, colleagues: Colleagues): Promise<void> {
  await narrator.show(['pause', '--healing', '--reason', why, '--in-force'], { code: 0, shows: [/^Paused: /] });
  await colleagues.aws.open('core-web', 8082);
  // why: a look may see it before the cloud's own log tells who it was
  await until(async () => {
    const answer = await answerTo({ path: '/v1/inventory?status=Paused' }, serving);
    return answer.includes('8082') && answer.includes('user/');
  }, 'what was opened, and by whom');
}

async function serve(stage: Stage): Promise<Serving> {
  const made = await stage.setpoint(['token', 'make', '--name', 'demo', '--role', 'admin', '--json']);
  const token = /setpoint_\w+_[\w-]{43}/.exec(made.stdout)?.[0];
  if (token === undefined) throw new Error(`no token was made:\n${made.stdout}${made.stderr}`);
  const [port] = stage.hookPorts;
  const from = ['--repo', stage.repository, '--allow-local-repo', '--poll', '1s'];
  const child = stage.start(
    ['serve', '--allow-endpoint', '--interval', '1h', ...from, '--listen', String(port)],
    eventSecrets,
  );
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const url = `http://127.0.0.1:${port}`;
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  };
  const ready = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`setpoint serve ended:\n${lines.join('\n')}`);
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false;
  };
  try {
    await until(ready, `the API at ${url}`);
  } catch (error) {
    await end();
    throw error;
  }
  return { url, token, end };
}

async function put(question: Question, serving: Serving, narrator: Narrator): Promise<void> {
  narrator.say(`\n  ${question.asks}`);
  if ('sql' in question) {
    if (!hasPsql()) return narrator.say('  LEFT OUT: psql is not installed (apt-get install postgresql-client).');
    await narrator.show(['sql', '--command', question.sql], { code: 0, shows: question.shows });
    return;
  }
  narrator.say(`  $ curl -H "authorization: Bearer $TOKEN" "$SETPOINT_SERVER${question.path}"`);
  const answer = await answerTo(question, serving);
  const missing = question.shows.filter((pattern) => !pattern.test(answer));
  if (missing.length > 0) throw new Error(`${question.path} does not show ${missing.join(', ')}:\n${answer}`);
  narrator.say(
    answer
      .split('\n')
      .slice(0, 30)
      .map((line) => `  ${line}`)
      .join('\n'),
  );
}

function hasPsql(): boolean {
  const has = spawnSync('psql', ['--version']).status === 0;
  if (!has && process.env['CI']) throw new Error('psql is not installed, and CI leaves nothing out');
  return has;
}

async function answerTo({ path }: { readonly path: string }, { url, token }: Serving): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
  return answer.headers.get('content-type')?.includes('json') ? JSON.stringify(JSON.parse(text), null, 2) : text;
}

/** Even on a machine with too much to do. */
const longestMs = 300_000;

async function until(is: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + longestMs; !(await is()); await sleep(200))
    if (performance.now() > end) throw new Error(`${what} was not seen in ${longestMs / 1000} s`);
}
