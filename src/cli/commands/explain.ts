import type { Command } from 'commander';
import type { Action, Finding } from '../../core/action.ts';
import type { Desired } from '../../core/desired.ts';
import type { Address } from '../../core/resource.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { findAddress } from '../estate/find-address.ts';
import { type ModeReason, modeNow } from '../estate/mode-reason.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withSpecsOption } from '../estate/options.ts';
import { type Origin, originsOf } from '../estate/origins.ts';
import { type Ownership, ownership } from '../estate/ownership.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { agoFrom } from '../output/ago.ts';
import { emitJson } from '../output/emit.ts';
import { explanationText } from '../output/explanation-text.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly json?: boolean;
}

/** All that is known about one resource: what is wanted and who wrote that, what is there, whose it is, and what would happen. */
export type Explanation = Wish & Fact;

interface Wish {
  readonly address: Address;
  readonly wanted: readonly Desired[];
  readonly origins: readonly Origin[];
  readonly mode: ModeReason | undefined;
}

interface Fact {
  readonly there: readonly Ownership[];
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

export const explain = (context: Context): Command =>
  withSpecsOption(
    verb('explain', {
      group: 'Look',
      summary: 'say all about one resource: which line wants what, what is there, who owns it, what would happen',
      about:
        'The address may be an ending that is unique (`web-0`, `instance/web-0`), a rule document, or an id of the cloud.',
      examples: [
        ['explain web-0', 'by its name'],
        ['explain sg-0abc', 'by its id on the cloud: who owns it, and why'],
      ],
    }).argument('<address>', 'what to explain'),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, _options: Options, command: Command) => {
      context.finish(await run(address, command.optsWithGlobals<Options>(), context));
    });

async function run(given: string, options: Options, context: Context): Promise<ExitCode> {
  const estate = await readEstate(choiceOf(options.specs, options), context);
  const { explanation, sources } = await withStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) => ({
      explanation: explanationOf(given, survey),
      sources: survey.bound.sources,
    })),
  );
  const { terminal } = context;
  if (options.json) emitJson(terminal, { ...explanation, ...(sources === undefined ? {} : { sources }) });
  else
    terminal.out.write(
      explanationText(explanation, {
        dir: estate.dir,
        paint: planPaintFor(terminal.out),
        ago: agoFrom(context.clock.now()),
      }),
    );
  return exitCodes.done;
}

function explanationOf(given: string, { estate, looked, plans }: Survey): Explanation {
  const desired = looked.flatMap(({ input }) => input.wanted.desired);
  const owned = looked.flatMap(({ input }, i) => {
    const plan = plans[i];
    return plan === undefined ? [] : ownership(input, plan);
  });
  const byId = owned.find(({ observed }) => observed.id === given);
  const address = byId ? (byId.address ?? given) : findAddress(given, addressesOf(desired, owned));
  const isMeant = (one: { readonly address?: Address; readonly documents?: Desired['documents'] }): boolean =>
    one.address === address || (one.documents?.some((document) => document.address === address) ?? false);
  const wanted = desired.filter(isMeant);
  const atoms = new Set([address, ...wanted.map((one) => one.address)]);
  const there = owned.filter((one) => one === byId || (one.address !== undefined && atoms.has(one.address)));
  const ids = new Set(there.map(({ observed }) => observed.id));
  return {
    address,
    wanted,
    origins: originsOf(wanted, estate),
    mode: wanted[0] && modeNow(wanted[0], estate, looked[0]?.input.choices?.modesBefore),
    there,
    actions: plans.flatMap(({ actions }) => actions.filter(isMeant)),
    findings: plans.flatMap(({ findings }) =>
      findings.filter(
        (found) => ('address' in found && atoms.has(found.address)) || ('id' in found && ids.has(found.id)),
      ),
    ),
  };
}

const addressesOf = (desired: readonly Desired[], owned: readonly Ownership[]): ReadonlySet<Address> =>
  new Set([
    ...desired.flatMap((one) => [one.address, ...one.documents.map(({ address }) => address)]),
    ...owned.flatMap(({ address }) => address ?? []),
  ]);
