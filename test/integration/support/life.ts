import assert from 'node:assert/strict';
import { type AwsCli, awsCliAt } from './aws-cli.ts';
import type { Ran } from './child.ts';
import { type Colleague, colleagueAt } from './colleague.ts';
import { type Blocks, bothFamilies, lifeSpecs, oneFamily, region, type Wants } from './life-specs.ts';
import { motoToUse } from './moto.ts';
import { wantsDescriptions } from './quirk.ts';
import { isMutating, type RecordedCall, type RecordingProxy, recordingProxy } from './recording-proxy.ts';
import { standing } from './standing.ts';
import { type Workplace, workplace } from './workplace.ts';

/** What a command must show: its exit code, and what must or must not be in its answer. */
export interface Expected {
  readonly code: number;
  readonly shows?: readonly RegExp[];
  readonly never?: readonly RegExp[];
}

/** An estate on moto with its user, and colleagues who go round the specs. */
export interface Life {
  /** Of the emulator. */
  readonly url: string;
  readonly colleague: Colleague;
  readonly cli: AwsCli | undefined;
  readonly workplace: Workplace;
  /** What stood in the region before us, by id. */
  readonly before: readonly string[];
  /** A moto that does not take rules away as AWS does: see quirk.ts. */
  readonly isOld: boolean;
  readonly blocks: Blocks;
  /** The specs are these from now on. */
  want(wants: Omit<Wants, 'endpoint' | 'blocks'>): Promise<void>;
  /** Runs a verb as a user would; throws where it does not show what it must. The calls are those it made. */
  sees(args: readonly string[], expected: Expected): Promise<Ran & { readonly calls: readonly RecordedCall[] }>;
  /** Every call by which something was changed, so far. */
  written(): readonly RecordedCall[];
  end(): Promise<void>;
}

export async function startLife(): Promise<Life> {
  const ending = new AsyncDisposableStack();
  try {
    return await begin(ending);
  } catch (error) {
    await ending.disposeAsync();
    throw error;
  }
}

/** What was begun last ends first. */
async function begin(ending: AsyncDisposableStack): Promise<Life> {
  const moto = ending.adopt(await motoToUse(), ({ stop }) => stop());
  const proxy = ending.adopt(await recordingProxy(moto.url), ({ close }) => close());
  const place = ending.adopt(await workplace(), ({ leave }) => leave());
  const colleague = ending.adopt(colleagueAt(moto.url, region), ({ leave }) => leave());
  const written: RecordedCall[] = [];
  const isOld = await wantsDescriptions(colleague.client);
  const blocks = isOld ? oneFamily : bothFamilies;
  return {
    url: moto.url,
    before: await standing(colleague.client),
    isOld,
    blocks,
    written: () => written,
    colleague,
    cli: await awsCliAt(moto.url),
    workplace: place,
    want: (wants) => place.write(lifeSpecs({ ...wants, blocks, endpoint: proxy.url })),
    sees: async (args, expected) => {
      const { calls, ...ran } = await see(args, { place, proxy });
      written.push(...calls.filter(isMutating));
      demand(ran, expected, args);
      return { ...ran, calls };
    },
    end: () => ending.disposeAsync(),
  };
}

interface Stage {
  readonly place: Workplace;
  readonly proxy: RecordingProxy;
}

/** Verbs that meet no cloud have no such flag. */
const offline: ReadonlySet<string> = new Set(['validate', 'ledger']);

async function see(args: readonly string[], { place, proxy }: Stage) {
  const began = performance.now();
  const flags = offline.has(args[0] ?? '') ? [] : ['--allow-endpoint'];
  const ran = await place.setpoint(...args, ...flags);
  const calls = proxy.taken();
  const [verdict = ''] = ran.stdout.split('\n');
  const took = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(
    `    $ setpoint ${args.join(' ')}\n      ${verdict.slice(0, 150)} (exit ${ran.code}, ${took} s)\n`,
  );
  return { ...ran, calls };
}

function demand(
  { code, stdout, stderr }: Ran,
  { code: wanted, shows = [], never = [] }: Expected,
  args: readonly string[],
): void {
  const faults = [
    ...(code === wanted ? [] : [`exit code ${code}, not ${wanted}`]),
    ...shows.filter((pattern) => !pattern.test(stdout)).map((pattern) => `does not show ${pattern}`),
    ...never.filter((pattern) => pattern.test(stdout)).map((pattern) => `shows ${pattern}`),
  ];
  assert.ok(faults.length === 0, `setpoint ${args.join(' ')}: ${faults.join('; ')}\n${stdout}\n${stderr}`);
}
