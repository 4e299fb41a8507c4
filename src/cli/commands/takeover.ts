import type { Command } from 'commander';
import { type Claimed, claim } from '../../core/plan/claim.ts';
import { printable } from '../../core/printable.ts';
import type { Accepted, Store } from '../../ports/store.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { withOwnStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { withPass } from '../estate/warrant.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { count } from '../output/count.ts';
import { parseDuration } from '../output/duration.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { table } from '../output/table.ts';
import { askYes } from '../prompt/ask.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly reason: string;
  readonly yes?: boolean;
  readonly lockTimeout: number;
  readonly json?: boolean;
}

export const takeover = (context: Context): Command =>
  withEstateOptions(
    verb('takeover', {
      group: 'Own',
      summary: 'accept as ours what another store of this estate has marked, as after losing the database',
      about:
        'Lists the ids first. A mark proves nothing, so look at them: two objects with one mark are not accepted. The next\napply writes our mark on them; nothing is made and nothing deleted.',
      examples: [['takeover --reason "the database was lost"', 'list, ask, accept']],
    }),
  )
    .requiredOption('--reason <text>', 'why; written into the ledger')
    .option('--yes', 'do not ask')
    .option('--lock-timeout <duration>', 'wait so long for somebody who is changing the same scope', parseDuration, 0)
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(choiceOf(dir, options), context);
  return withOwnStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, (survey) => accept({ ...survey, store }, options, context)),
  );
}

/** What is marked as this estate's by another store, in one scope. `twins` share a mark, so none of them is accepted. */
interface Found {
  readonly scope: string;
  readonly accepted: readonly Accepted[];
  readonly twins: readonly string[];
}

type OwnSurvey = Survey & { readonly store: Store };

async function accept(survey: OwnSurvey, options: Options, context: Context): Promise<ExitCode> {
  const { terminal, stop } = context;
  const found = survey.looked.map(({ input }) =>
    foundIn(input.observation.scope, claim(input.observation.resources, input)),
  );
  const accepted = found.flatMap((one) => one.accepted);
  const twins = found.flatMap((one) => one.twins);
  const rows = accepted.map(({ subject }) => [subject.kind, subject.id ?? '', subject.address]);
  terminal.err.write(table(['KIND', 'ID', 'ADDRESS'], rows));
  if (twins.length > 0)
    terminal.err.write(`Not accepted, because two carry one mark: ${printable(twins).join(', ')}\n`);
  if (accepted.length > 0 && !options.yes) {
    const text = `Accept ${count(accepted.length, 'object')} as ours?`;
    if (!(await askYes(terminal, { text, flag: '--yes' }, stop)))
      throw new Complaint('Nothing was taken over.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  }
  for (const one of found) await write(one, survey, options, context);
  if (options.json) emitJson(terminal, { accepted: accepted.map(({ subject }) => subject), twins });
  else
    emitText(
      terminal,
      `Taken over: ${count(accepted.length, 'object')}${twins.length > 0 ? ` · ${twins.length} not accepted` : ''}`,
    );
  return twins.length > 0 ? exitCodes.refused : exitCodes.done;
}

async function write(
  { scope, accepted }: Found,
  { estate, store }: OwnSurvey,
  options: Options,
  context: Context,
): Promise<void> {
  if (accepted.length === 0) return;
  const deed = { estate, store, scope, lockTimeoutMs: options.lockTimeout };
  await withPass(deed, context, (pass) => store.estates.takeover(pass, accepted, options.reason));
}

function foundIn(scope: string, claimed: readonly Claimed[]): Found {
  // Rules in a container go with it, and carry no mark of their own.
  const foreign = claimed.filter(
    ({ claim: owner, observed }) => owner.by === 'foreign-store' && observed.signs.container === undefined,
  );
  const byAddress = Map.groupBy(foreign, ({ claim: owner }) => (owner.by === 'foreign-store' ? owner.address : ''));
  const alone = [...byAddress.values()].filter((some) => some.length === 1).flat();
  return {
    scope,
    accepted: alone.flatMap(acceptedOf),
    twins: [...byAddress.values()]
      .filter((some) => some.length > 1)
      .flatMap((some) => some.map(({ observed }) => observed.id)),
  };
}

function acceptedOf({ claim: owner, observed: { kind, id, signs } }: Claimed): readonly Accepted[] {
  if (owner.by !== 'foreign-store') return [];
  const deletionPolicy = signs.mark?.deletionPolicy ?? 'retain';
  const terms = { deletionPolicy, protect: false, storeOnly: false, takenFrom: owner.store };
  return [{ do: 'claim', subject: { kind, address: owner.address, id }, terms }];
}
