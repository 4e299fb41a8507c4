import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './ask.ts';
import type { Colleagues } from './colleagues.ts';
import type { Narrator } from './narrator.ts';
import { tomorrow } from './specs.ts';
import type { Stage } from './stage.ts';

const everyMs = 20_000;

/** `npm run demo -- --serve`: an estate with the console, and a careless colleague who edits the clouds by hand, until Ctrl-C. */
export async function live(
  stage: Stage,
  { narrator, colleagues }: { readonly narrator: Narrator; readonly colleagues: Colleagues },
  signal: AbortSignal,
): Promise<void> {
  narrator.say(
    `A sandbox of three clouds at ${stage.endpoint}, a repository of specs, and setpoint serve, which follows it.`,
  );
  narrator.say('Building the console; the first time npm fetches its tools …');
  const [isBuilt] = await Promise.all([builtConsole(signal), stage.write(tomorrow(stage.endpoint))]);
  if (signal.aborted) return;
  const { url, token, service } = await serve(stage);
  try {
    if (signal.aborted) return;
    narrator.say(
      isBuilt
        ? `\n  The console:  ${url}\n  Its token:    ${token}`
        : `\n  The console cannot be built (see above). The API:  ${url}\n  Its token:  ${token}`,
    );
    narrator.say(
      '\nSetpoint now creates 21 machines, their networks and rules on three clouds. Every 20 s a colleague edits one',
    );
    narrator.say('of them by hand; Setpoint hears of it and undoes it. Ctrl-C ends the demo. In another terminal:\n');
    narrator.say(`  export SETPOINT_SERVER=${url} TOKEN=${token}`);
    narrator.say('  curl -H "authorization: Bearer $TOKEN" "$SETPOINT_SERVER/v1/inventory?claim=ours&format=csv"');
    narrator.say(
      `  npm run setpoint -- sql --dir ${join(stage.folder, '.setpoint')} -c "SELECT address, since FROM drift"\n`,
    );
    for (const { about, edit } of editsOf(colleagues)) {
      const isOver = await sleep(everyMs, false, { signal }).catch(() => true); // why: only the signal rejects it
      if (isOver) break;
      if (!service.isAlive())
        throw new Error(`setpoint serve ended by itself:\n${service.lines.slice(-10).join('\n')}`);
      const why = await edit().then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      narrator.say(
        `  ${new Date().toISOString().slice(11, 19)}  ${about}${why === undefined ? '' : `: not yet (${why})`}`,
      );
    }
  } finally {
    await service.stop();
  }
}

/** False: npm or Vite failed, and printed the reason; or the signal ended it. */
async function builtConsole(signal: AbortSignal): Promise<boolean> {
  const script = join(import.meta.dirname, '../console.ts');
  const child = spawn(process.execPath, [script, 'build'], { stdio: ['ignore', 'ignore', 'inherit'], signal });
  const exit = once(child, 'exit').catch((error: unknown) => {
    if (signal.aborted) return [1];
    throw error;
  });
  const [code] = await exit;
  return code === 0;
}

interface Edit {
  readonly about: string;
  edit(): Promise<void>;
}

/** Without end: each edit is another one, so that no two of them look like a fight about one field. */
function* editsOf({ aws, gcp, azure }: Colleagues): Generator<Edit> {
  for (let n = 0; ; n += 1) {
    const port = 8000 + (n % 900);
    const machine = `web-${n % 6}`;
    yield { about: `eve opens ${port}/tcp to the world on AWS`, edit: () => aws.open('core-web', port) };
    yield { about: `tom relabels ${machine} on Google Cloud`, edit: () => gcp.label(machine, 'tier', `toms-${n}`) };
    yield { about: `mallory opens ${port}/tcp to the world on Azure`, edit: () => azure.open('core-nsg', port) };
    yield {
      about: `tom tags ${machine} on AWS`,
      edit: () => aws.tag({ key: 'Name', value: machine }, { key: 'tier', value: `toms-${n}` }),
    };
    yield {
      about: `eve opens ${port}/tcp to the world on Google Cloud`,
      edit: () => gcp.widen('core-web-https', port),
    };
    yield { about: `tom tags ${machine} on Azure`, edit: () => azure.tag(machine, 'tier', `toms-${n}`) };
  }
}
