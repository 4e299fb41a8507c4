// npm run demo: the whole life of an estate on a sandbox, through the command line as a user has it. Exit 0 only if
// every step shows what it must. With --serve: an estate to look at in the console, until Ctrl-C.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ask } from './demo/ask.ts';
import { type Colleagues, colleaguesAt } from './demo/colleagues.ts';
import { fleet } from './demo/fleet.ts';
import { live } from './demo/live.ts';
import { type Narrator, narratorOn } from './demo/narrator.ts';
import { lastWeek, today } from './demo/specs.ts';
import { type Stage, setStage } from './demo/stage.ts';

interface Play {
  readonly stage: Stage;
  readonly narrator: Narrator;
  readonly colleagues: Colleagues;
}

const allow = '--allow-endpoint';

async function prologue({ stage, narrator, colleagues }: Play): Promise<void> {
  narrator.say(`A sandbox of three clouds at ${stage.endpoint}, and accounts that others have used before us.`);
  narrator.say('Last week somebody applied our specs to them; then colleagues edited a thing or two by hand.');
  await stage.write(lastWeek(stage.endpoint));
  await narrator.watch(['apply', '--yes', allow]);
  await colleagues.aws.open('core-web', 8080);
  await colleagues.gcp.widen('core-web-https', 8080);
  await colleagues.azure.open('core-nsg', 8080);
  await stage.write(today(stage.endpoint));
}

async function converge({ narrator }: Play): Promise<void> {
  narrator.chapter('Validate', 'The specs alone, without a cloud: every error at once, with its place.');
  await narrator.show(['validate'], { code: 0, shows: [/^Valid: 10 documents/] });

  narrator.chapter(
    'Plan',
    'What differs, and why: + and ~ by the specs, ! changed outside Setpoint, ? unmanaged and never changed.',
  );
  await narrator.show(['plan', '--most', '4', allow], {
    code: 0,
    shows: [
      /^Plan: 6 to add, 1 to change, 0 to replace, 5 to delete · 3 drifted · \d{2} unmanaged/m,
      /\+ instance web-1/,
      /- firewall-rule core\.old-ftp/,
      /tcp[. ]8080.*no document states this rule.*! drifted/,
      /~ match\.ports {2}443,8080 → 443/,
      /open-8080.*no document states this rule.*! drifted/,
    ],
  });

  narrator.chapter(
    'Apply',
    'All three clouds at once. Additions before removals; every call is in the ledger before and after it is made.',
  );
  await narrator.show(['apply', '--yes', allow], {
    code: 0,
    shows: [/^Applied: 6 added, 1 changed, 0 replaced, 5 deleted/],
    tells: [/^aws\/.*: converged/m, /^gcp\/.*: converged/m, /^azure\/.*: converged/m],
  });

  narrator.chapter('Plan again', 'Nothing to do: what a cloud answers is read in the same form as what was asked.');
  await narrator.show(['plan', '--most', '0', '--detailed-exitcode', allow], {
    code: 0,
    shows: [/^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted/m],
  });
}

async function drift({ narrator, colleagues }: Play): Promise<void> {
  narrator.chapter(
    'Drift',
    'Other clients, the clouds’ own SDKs: SSH is opened to the world, and tags of machines are changed.',
  );
  await colleagues.aws.open('core-web', 22);
  await colleagues.gcp.widen('core-web-https', 22);
  await colleagues.azure.open('core-nsg', 22);
  await colleagues.aws.tag({ key: 'tier', value: 'db' }, { key: 'tier', value: 'toms' });
  await colleagues.gcp.label('db-0', 'tier', 'toms');
  await colleagues.azure.tag('db-0', 'tier', 'toms');
  await narrator.show(['drift', '--detailed-exitcode', allow], {
    code: 2,
    shows: [
      /^Withheld drift: 6 resources by mode: setpoint approve/,
      /^Drift: 6 changes/m,
      /tcp[. ]22.*no document states this rule/,
      /~ labels\.tier {2}toms → db/,
    ],
    never: [/\? /],
  });

  narrator.chapter('Heal', 'The same apply; then there is no drift left.');
  await narrator.show(['apply', '--yes', allow], {
    code: 0,
    shows: [/^Applied: 0 added, 4 changed, 0 replaced, 2 deleted/],
  });
  await narrator.show(['drift', '--detailed-exitcode', allow], { code: 0, shows: [/^Drift: none/m] });
}

async function account({ narrator, stage }: Play): Promise<void> {
  narrator.chapter(
    'What is not ours',
    'Everything else in the account, with the reason: never changed, never deleted.',
  );
  await narrator.show(['inventory', '--claim', 'unmanaged'], {
    code: 0,
    shows: [
      /^Inventory: \d{2} objects in 3 scopes · \d{2} unmanaged/,
      /provider-default: /i,
      /service-child: launched by Auto Scaling group batch-workers/i,
      /other-tool: tagged as managed by terraform/i,
      /rogue: no estate claims it/i,
    ],
    never: [/ {2}ours/],
  });

  narrator.chapter(
    'The ledger',
    'A chain of hashes with signed checkpoints. A copy in which one word was changed is found out.',
  );
  await narrator.show(['ledger', 'verify'], {
    code: 0,
    shows: [/^Ledger: whole, \d+ entries in \d+ chains, \d+ signed checkpoints/],
  });
  await narrator.show(['ledger', 'export', '--out', 'copy.jsonl'], { code: 0, shows: [/exported/] });
  const seq = await tamper(join(stage.folder, 'copy.jsonl'));
  narrator.say(`\n  … entry ${seq} of the copy now says another approver …`);
  await narrator.show(['ledger', 'verify', '--export', 'copy.jsonl'], {
    code: 1,
    shows: [new RegExp(`^Ledger: TAMPERED at entry ${seq}: its content was changed`)],
  });
}

/** Returns the number of the entry that it changed. */
async function tamper(file: string): Promise<number> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const at = lines.findIndex((line, n) => n >= 6 && /"seq":\d+/.test(line) && approver.test(line));
  const line = lines[at];
  const seq = Number(/"seq":(\d+)/.exec(line ?? '')?.[1]);
  if (line === undefined) throw new Error('the export has no entry with an approver to change');
  await writeFile(file, lines.with(at, line.replace(approver, '"approver":"mallory"')).join('\n'));
  return seq;
}

const approver = /"approver":"[^"]*"/;

async function play(): Promise<void> {
  const startedAt = performance.now();
  const { values } = parseArgs({ options: { serve: { type: 'boolean', default: false } } });
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  const stage = await setStage(interrupted.signal);
  const colleagues = colleaguesAt(stage.endpoint);
  const ends: (() => Promise<void>)[] = [];
  try {
    const narrator = narratorOn(stage, (text) => void process.stdout.write(text));
    const all: Play = { stage, narrator, colleagues };
    if (values.serve) return await live(stage, all, interrupted.signal);
    await prologue(all);
    await converge(all);
    await drift(all);
    await fleet(stage, narrator, colleagues);
    await account(all);
    const serving = await ask(stage, narrator, colleagues);
    ends.push(async () => void (await serving.service.stop()));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    narrator.say(
      `\nAll ${narrator.chapters()} steps showed what they must, in ${seconds} s: three clouds converged, unchanged, drifted, healed, carried on by a fleet, provable, and asked.`,
    );
    narrator.say(
      'Now yours: `npm run setpoint -- sandbox`, and in another terminal what README.md says under "Use it".',
    );
  } finally {
    for (const end of ends) await end();
    colleagues.aws.leave();
    await stage.strike();
  }
}

try {
  await play();
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
