import { setTimeout as sleep } from 'node:timers/promises';
import type { ScopeStanding, Standing } from '../../src/answers/standing.ts';
import type { Colleagues } from './colleagues.ts';
import type { Narrator } from './narrator.ts';
import { redisHere } from './redis.ts';
import { tomorrow } from './specs.ts';
import type { Stage } from './stage.ts';
import { startWorkers, type Workers } from './workers.ts';

/** Even on a machine with too much to do. */
const longestMs = 300_000;

/** Two workers on one queue; the one that begins is killed in the middle, and the other brings it to its end. */
export async function fleet(stage: Stage, narrator: Narrator, colleagues: Colleagues): Promise<void> {
  narrator.chapter(
    'A fleet',
    'Two workers follow the git repository; they share one queue, one database and one rate budget. Somebody pushes a commit.',
  );
  const redis = await redisHere();
  if (redis === undefined) {
    if (process.env['CI']) throw new Error('redis-server is not installed, and CI leaves nothing out');
    narrator.say('\n  LEFT OUT: redis-server is not installed (apt-get install redis-server), and workers meet there.');
    return;
  }
  await stage.write(tomorrow(stage.endpoint));
  const workers = startWorkers(['worker 1', 'worker 2'], redis.url, stage);
  try {
    const first = await workers.firstAtWork();
    await workers.kill(first);
    narrator.say(`\n  … ${first} had made its first changes, and was killed (SIGKILL) in the middle of its work …`);
    const killedAt = performance.now();
    await workers.heard(
      ['aws', 'gcp', 'azure'].map((cloud) => new RegExp(`pass ended .*scope=${cloud}/.*outcome=done`)),
      longestMs,
    );
    await untilAtRest(stage);
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(0);
    narrator.say(`  … the other took its scopes over and had all three clouds converged ${seconds} s later.`);
    await heard(workers, colleagues, narrator);
    const codes = await workers.stop();
    if (codes.some((code) => code !== 0)) throw new Error(`a worker that was told to stop ended with ${codes}`);
  } finally {
    await workers.stop();
    await redis.end();
  }
  await narrator.show(['plan', '--most', '0', '--detailed-exitcode', '--allow-endpoint'], {
    code: 0,
    shows: [/^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted/],
  });
  await narrator.show(['inventory', '--claim', 'ours', '--kind', 'instance'], { code: 0, shows: [/· 21 ours/] });
}

/** By what the store says: what was heard may have been a pass before the last one. */
async function untilAtRest(stage: Stage): Promise<void> {
  for (const end = performance.now() + longestMs; performance.now() < end; await sleep(200)) {
    const { code, stdout, stderr } = await stage.setpoint(['status', '--json']);
    if (code !== 0) throw new Error(`setpoint status ended with ${code}:\n${stdout}${stderr}`);
    const { generation, scopes, leases }: Standing = JSON.parse(stdout);
    const atWork = new Set(leases.map(({ scope }) => scope));
    const isAtRest = ({ scope, standing, wish }: ScopeStanding): boolean =>
      standing === generation?.number && wish === undefined && !atWork.has(scope);
    if (scopes.every(isAtRest)) return;
  }
  throw new Error(`the fleet was not at rest in ${longestMs / 1000} s`);
}

/** Edits by hand are told by the clouds' audit logs, and healed long before anybody would have looked. */
async function heard(workers: Workers, colleagues: Colleagues, narrator: Narrator): Promise<void> {
  narrator.chapter(
    'Heard',
    'Colleagues open a port by hand on all three clouds. Their audit logs tell the fleet, which takes it back at once.',
  );
  workers.listenAnew();
  const from = performance.now();
  await colleagues.aws.open('core-web', 8081);
  await colleagues.gcp.widen('core-web-https', 8081);
  await colleagues.azure.open('core-nsg', 8081);
  await workers.heard(
    ['aws', 'gcp', 'azure'].map((cloud) => new RegExp(`pass ended .*scope=${cloud}/.*settled=[1-9]`)),
    longestMs,
  );
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  narrator.say(`\n  … healed on all three ${seconds} s after the first edit; the ledger knows whose it was:`);
  await narrator.show(['ledger', '--limit', '12'], {
    code: 0,
    shows: [/delete .*core\.web\.ingress\.tcp\.8081.*changed by \S+:user\/\S+ \(AuthorizeSecurityGroupIngress/],
  });
}
