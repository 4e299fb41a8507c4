import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type SandboxProcess, startSandboxProcess } from './cold-plan/sandbox-process.ts';
import { type ColdCloud, coldClouds, others, smallTarget } from './cold-plan/small-target.ts';
import { timed } from './cold-plan/timed.ts';
import type { Figure } from './figure.ts';
import { environment, program } from './process/command-line.ts';
import { type Command, runToEnd } from './process/measured.ts';
import { inScratch, writeFiles } from './process/scratch.ts';
import { expectCode } from './process/setpoint.ts';

/**
 * `setpoint plan` of one small target, without a store, against a bare script that makes the same calls through the same
 * SDK: whole processes, run in turn, `--rounds` (15) times each, for each `--cloud` (all). The ratio is of the medians,
 * as both suffer alike from what else the machine does; least times are told on stderr. Asked: at most 1.5.
 *
 * Ours keeps its compiled code between runs, as it does for every user; a script does not, unless somebody says so. What the
 * ratio would be to one that does is told on stderr.
 */
export async function coldPlan(args: readonly string[] = [], bareOf = bareScript): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '15' }, cloud: { type: 'string', multiple: true } },
  });
  const asked = coldClouds.filter((cloud) => values.cloud?.includes(cloud) ?? true);
  if (asked.length === 0)
    throw new Error(`--cloud is one of ${coldClouds.join(', ')}, not ${values.cloud?.join(', ')}`);
  const sandbox = await startSandboxProcess();
  try {
    await sandbox.load(others);
    const figures: Figure[] = [];
    for (const cloud of asked)
      figures.push(await figureOf({ cloud, bare: bareOf(cloud) }, sandbox, Number(values.rounds)));
    return figures;
  } finally {
    await sandbox.close();
  }
}

/** Beside us, so that it finds the same packages. */
const bareScript = (cloud: ColdCloud): string =>
  fileURLToPath(new URL(`./cold-plan/bare-${cloud}.mjs`, import.meta.url));

interface Peers {
  readonly cloud: ColdCloud;
  /** The file of the bare script. */
  readonly bare: string;
}

const figureOf = ({ cloud, bare: script }: Peers, sandbox: SandboxProcess, rounds: number): Promise<Figure> =>
  inScratch(async (cwd) => {
    await writeFiles(join(cwd, 'specs'), smallTarget(cloud, sandbox.url));
    const plan = node(cwd, [program, 'plan', '--allow-endpoint']);
    const bare = node(cwd, [script, sandbox.url]);
    const cached = { ...bare, env: { ...bare.env, NODE_COMPILE_CACHE: join(cwd, 'cache') } };
    deepStrictEqual(await callsOf(plan, sandbox), await callsOf(bare, sandbox));
    const [ours, theirs, warm] = await timed([plan, bare, cached], rounds);
    if (!ours || !theirs || !warm) throw new Error('nothing was timed');
    const ratio = ours.median / theirs.median;
    console.error(
      `cold-plan-${cloud}: medians of ${rounds}: ${told(ours.median, theirs.median, warm.median)}; least: ${told(ours.least, theirs.least, warm.least)}`,
    );
    return {
      name: `cold-plan-${cloud}`,
      value: Math.round(ours.median),
      unit: 'ms',
      floor: Math.round(theirs.median),
      ratio,
    };
  });

const node = (cwd: string, args: readonly string[]): Command => {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = environment();
  return { program: process.execPath, args, cwd, env };
};

/** What it asks of the cloud, by action. Both must ask the same, or they are no peers. */
async function callsOf(command: Command, sandbox: SandboxProcess): Promise<Readonly<Record<string, number>>> {
  await sandbox.takeCounts();
  const ended = expectCode({ ...(await runToEnd(command)), peakMB: Number.NaN }, 0, command.args.join(' '));
  console.error(`cold-plan: ${ended.stdout.split('\n')[0]}`);
  return sandbox.takeCounts();
}

const told = (ours: number, bare: number, warm: number): string =>
  `plan ${ours.toFixed(0)} ms, bare ${bare.toFixed(0)} ms (${(ours / bare).toFixed(2)} ×), bare with a warm compile cache ${warm.toFixed(0)} ms (${(ours / warm).toFixed(2)} ×)`;
