import { spawnSync } from 'node:child_process';
import type { Colleagues } from './colleagues.ts';
import { sendEventsTo } from './events.ts';
import type { Narrator } from './narrator.ts';
import { type Question, questions } from './questions.ts';
import type { Stage } from './stage.ts';
import { type Service, startService, until, withLastLines } from './started-process.ts';

/** `setpoint serve` with its API, and who may ask it. */
export interface Serving {
  readonly url: string;
  readonly token: string;
  readonly service: Service;
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
    await withLastLines([serving.service], async () => {
      const before = new Date().toISOString();
      await differ(serving, narrator, colleagues);
      for (const question of questions({ before })) await put(question, serving, narrator);
      await narrator.show(['resume', '--healing', '--reason', 'it was looked into', '--active'], {
        code: 0,
        shows: [/^Resumed: /],
      });
      const isHealed = async (): Promise<true | undefined> =>
        !(await answerTo({ path: '/v1/inventory?status=Paused,Drifted' }, serving)).includes('8082') || undefined;
      await until(isHealed, 'the healing of port 8082', { pauseMs: 200 });
    });
    return serving;
  } catch (error) {
    await serving.service.stop();
    throw error;
  }
}

/** Something differs from here on, and is left as it is. */
async function differ(serving: Serving, narrator: Narrator, colleagues: Colleagues): Promise<void> {
  await narrator.show(['pause', '--healing', '--reason', why, '--active'], { code: 0, shows: [/^Paused: /] });
  await colleagues.aws.open('core-web', 8082);
  // why: a look may see it before the cloud's own log tells who it was
  const isAttributed = async (): Promise<true | undefined> => {
    const answer = await answerTo({ path: '/v1/inventory?status=Paused' }, serving);
    return (answer.includes('8082') && answer.includes('user/')) || undefined;
  };
  await until(isAttributed, 'port 8082 and its author', { pauseMs: 200 });
}

export async function serve(stage: Stage): Promise<Serving> {
  const made = await stage.setpoint(['token', 'make', '--name', 'demo', '--role', 'admin', '--json']);
  const token = /setpoint_\w+_[\w-]{43}/.exec(made.stdout)?.[0];
  if (token === undefined) throw new Error(`no token was made:\n${made.stdout}${made.stderr}`);
  const [port] = stage.hookPorts;
  if (port === undefined) throw new Error('there are ports for two processes');
  const service = startService('setpoint serve', { verb: 'serve', port }, stage);
  const url = `http://127.0.0.1:${port}`;
  const serving: Serving = { url, token, service };
  const isReady = async (): Promise<true | undefined> => {
    if (!service.isAlive()) throw new Error('setpoint serve ended by itself');
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok || undefined;
  };
  try {
    await withLastLines([service], () => until(isReady, `the API at ${url}`, { pauseMs: 200 }));
    await sendEventsTo(port, stage.endpoint);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return serving;
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
  // why: on a machine with too much to do the API may have to ask its clients to come again
  const answer = await until(
    async () => {
      const one = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return one.status === 503 ? undefined : one;
    },
    `an answer to ${path} other than 503`,
    { pauseMs: 1_000 },
  );
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
  return answer.headers.get('content-type')?.includes('json') ? JSON.stringify(JSON.parse(text), null, 2) : text;
}
