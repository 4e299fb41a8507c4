import { type Command, Option } from 'commander';
import type { ScopePlan } from '../../core/action.ts';
import { planDigest } from '../../core/digest.ts';
import { shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Approval } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import { approvableIn, saidOf } from '../../queries/approvals.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { acceptHistory } from '../estate/accept-history.ts';
import { readEstate } from '../estate/estate.ts';
import { giveApproval } from '../estate/give-approval.ts';
import { withGivenStore, withOwnStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { unseenCode } from '../estate/unseen.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { approvalJson, approvalText, type Offer, offerText, questionText } from '../output/approval-text.ts';
import { parseDigest, shownDigits } from '../output/digest.ts';
import { parseDuration } from '../output/duration.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { inOrder } from '../output/in-order.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { parseReason } from '../output/reason.ts';
import { askYes } from '../prompt/ask.ts';
import { approveOn, offerOn } from '../server/approvals.ts';
import type { Client } from '../server/client.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions, ServedEstateOption {
  readonly reason: string;
  readonly expires: number;
  readonly address?: string;
  readonly digest?: string;
  readonly history?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const approve = (context: Context): Command =>
  withServedEstateOption(
    withEstateOptions(
      verb('approve', {
        group: 'Steer',
        summary: 'let workers do what modes and limits withhold from them, after showing it and asking',
        about:
          'Holds for exactly what is shown, in this generation, until it expires: what moves meanwhile is not approved. Specs that\nare not the newest generation become it. Pauses, waves, `protect` and mode observe are told, and not lifted. What would lose data although no spec asked for it\n(destructive-drift) is offered only with --address.',
        examples: [
          ['approve --reason "reviewed in #812"', 'show, ask, approve'],
          [
            'approve --address instance/web-0 --reason "its data is saved"',
            'only what waits there, destructive drift too',
          ],
          ['approve --history 1a2b3c4 --reason "secrets were purged"', 'follow a branch whose history was rewritten'],
          [
            'approve --digest 1f2e3d4c5b6a --yes --reason "#812"',
            'only if it is still what was shown with this digest',
          ],
        ],
      }),
    ),
  )
    .requiredOption('--reason <text>', 'why; others read it, and it is written into the ledger', parseReason)
    .addOption(
      new Option('--expires <duration>', 'how long it holds').argParser(parseDuration).default(86_400_000, '24h'),
    )
    .option('--address <address>', 'only what waits there; an ending will do, as `instance/web-0`')
    .option('--digest <digest>', 'refuse if what waits has another digest than this', parseDigest)
    .addOption(
      new Option('--history <sha>', 'take on the rewritten history with this head, and nothing else').conflicts([
        'digest',
        'address',
      ]),
    )
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const sides: Sides = { here: ['allowEndpoint', 'overlay', 'history'], there: ['estate'], dir: false };

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  if (options.expires === 0)
    throw new Complaint('That approval would be over already.', { next: 'Say how long it holds: --expires 24h' });
  const server = await serverFor(command, sides, context);
  if (server !== undefined) return decide(await askedThere(server, options), options, context);
  const { history } = options;
  if (history !== undefined) return rewritten(dir, { ...options, history }, context);
  const estate = await readEstate(choiceOf(dir, options), context);
  return withOwnStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) =>
      decide(await askedHere({ ...survey, store }, options), options, context),
    ),
  );
}

async function rewritten(
  dir: string,
  { history: commit, ...options }: Options & { readonly history: string },
  context: Context,
): Promise<ExitCode> {
  const { name: estate } = await readEstate({ dir, targets: [], allowEndpoint: true }, context);
  return withGivenStore(options.dir, context, async (store) => {
    const source = await acceptHistory({ estate, commit, reason: options.reason }, store);
    if (options.json) emitJson(context.terminal, { estate, history: source });
    else
      emitText(
        context.terminal,
        printable(`Approved: the history of ${source.source} up to ${shortRevision(source.head ?? '')}`),
      );
    return exitCodes.done;
  });
}

type OwnSurvey = Survey & { readonly store: Store };

/** What a person is asked, what keeps it from being the whole truth, and how their yes is given. */
interface Asked {
  readonly offer: Offer;
  readonly plans: readonly ScopePlan[];
  /** Why a yes would not be theirs to give. */
  readonly refused?: string;
  /** What else they should know. */
  readonly note?: string;
  give(until: number): Promise<readonly Approval[]>;
}

async function askedThere(server: Client, options: Options): Promise<Asked> {
  const { offer, unseen: plans, refused, authorsUnknown } = await offerOn(server, options);
  const { expires: expiresMs, reason, target, address, estate } = options;
  return {
    offer,
    plans,
    ...(refused === undefined ? {} : { refused }),
    ...(authorsUnknown ? { note: 'Of some of this nobody knows who made it.\n' } : {}),
    give: () => approveOn(server, { digest: offer.digest, reason, target, address, estate, expiresMs }),
  };
}

const askedHere = async (survey: OwnSurvey, { reason, address }: Options): Promise<Asked> => {
  const offer = await offerOf(survey, address);
  return { offer, plans: survey.plans, give: (until) => giveApproval({ ...offer, reason, until }, survey) };
};

async function decide(
  { offer, plans, refused, note = '', give }: Asked,
  options: Options,
  context: Context,
): Promise<ExitCode> {
  const { terminal, clock, stop } = context;
  refuseUnseen(plans);
  terminal.err.write(offerText(offer, planPaintFor(terminal.err)));
  refuseOther(offer, options.digest);
  if (offer.plans.every(({ actions }) => actions.length === 0)) {
    if (options.json) emitJson(terminal, approvalJson([]));
    else emitText(terminal, 'Approved: nothing, as nothing waits for it', offer.accepts && notInForce);
    return exitCodes.done;
  }
  if (refused !== undefined) throw new Complaint('Nothing was approved.', { why: refused, code: exitCodes.refused });
  terminal.err.write(note);
  const until = clock.now() + options.expires;
  if (!options.yes && !(await askYes(terminal, { text: questionText(offer, until), flag: '--yes' }, stop)))
    throw new Complaint('Nothing was approved.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  const given = await give(until);
  if (options.json) emitJson(terminal, inOrder(approvalJson(given)));
  else emitText(terminal, ...approvalText(offer, given, clock.now()));
  return exitCodes.done;
}

const notInForce =
  '  These specs are not in force: setpoint apply makes them so, and so does a worker that follows them.';

async function offerOf(survey: OwnSurvey, address: string | undefined): Promise<Offer> {
  const { estate, store, bound } = survey;
  const newest = await store.generations.current(estate.name);
  const isNewest = newest?.revision === bound.revision;
  const approvable = await approvableIn(survey, isNewest ? await saidOf(survey) : new Map(), address);
  return {
    estate: estate.name,
    revision: bound.revision,
    ...approvable,
    digest: planDigest(approvable.plans, sha256),
    generation: bound.generation ?? 1,
    ...(isNewest ? {} : { accepts: newest === undefined ? {} : { after: newest } }),
  };
}

/** An approval is bound to what was seen. */
function refuseUnseen(plans: readonly ScopePlan[]): void {
  const code = unseenCode(plans);
  if (code === undefined) return;
  const why = plans.flatMap(({ findings }) => findings.filter(({ type }) => unseen.has(type))).map((one) => one.why);
  throw new Complaint('Nothing is approved on half a look.', { why: printable(why).join('\n'), code });
}

const unseen: ReadonlySet<string> = new Set(['incomplete', 'wrong-account', 'foreign-store']);

function refuseOther({ digest }: Offer, asked: string | undefined): void {
  if (asked === undefined || digest.startsWith(asked)) return;
  throw new Complaint('What waits is not what was shown with that digest.', {
    why: `Its digest is ${digest.slice(0, shownDigits)} by now, and ${asked.slice(0, shownDigits)} was asked for.`,
    next: `Look at what is shown above; if it is right: --digest ${digest.slice(0, shownDigits)}`,
    code: exitCodes.refused,
  });
}
