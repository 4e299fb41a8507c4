import { type Command, Option } from 'commander';
import type { ScopePlan } from '../../core/action.ts';
import { planDigest } from '../../core/digest.ts';
import { baseRevision } from '../../core/patch.ts';
import { shortRevision } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Approval } from '../../ports/fleet-state.ts';
import type { RequiredApproval, ShownRefusal } from '../../ports/queries.ts';
import type { SourceState } from '../../ports/sources.ts';
import type { Store } from '../../ports/store.ts';
import {
  approvableIn,
  brokenBy,
  giveApproval as give,
  type NewApproval as Said,
  saidOf,
} from '../../queries/approvals.ts';
import type { EstateView } from '../../queries/estate-view.ts';
import { digestsIn, recordRefusals, refusalsOf } from '../../queries/refusals.ts';
import { requestReconciles } from '../../queries/requests.ts';
import {
  approveOnServer,
  fetchPendingApprovals,
  type GivenApprovals,
  refuseOnServer,
} from '../api-client/approvals.ts';
import type { ApiClient } from '../api-client/client.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { acceptFolder, refuseSharedScopes, refuseSuperseded } from '../local/accept.ts';
import { readEstate } from '../local/estate.ts';
import { localUser } from '../local/ledger-access.ts';
import { type ObservedEstate, withObservedEstate } from '../local/observe.ts';
import { withCreatedStore, withExistingStore } from '../local/store.ts';
import {
  allowSharedScopesText,
  defineCommand,
  type EstateOptions,
  parseDuration,
  parseReason,
  selectionOf,
  withEstateOptions,
} from '../options.ts';
import {
  approvalsJson,
  approvalText,
  type PendingApprovals,
  parseDigest,
  pendingApprovalsText,
  questionText,
  refusalQuestionText,
  refusalsJson,
  refusalText,
  shownDigits,
} from '../output/approval-text.ts';
import { agoFrom, count } from '../output/format.ts';
import { incompleteExitCode } from '../output/plan.ts';
import { paintFor, printJson, printText, sortKeys } from '../output/print.ts';
import { askYes } from '../prompt.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly reason: string;
  readonly expires: number;
  readonly address?: string;
  readonly breakGlass?: boolean;
  readonly refuse?: boolean;
  readonly allowSharedScopes?: boolean;
  readonly digest?: string;
  readonly history?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const approve = (context: Context): Command =>
  withServerEstateOption(
    withEstateOptions(
      defineCommand('approve', {
        group: 'Steer',
        summary: 'approve the actions that modes and limits withhold, after showing them and asking',
        about:
          'An approval covers exactly the shown actions, in this generation, until it expires. Later changes are not approved. Specs that\nare not the newest generation become it. Pauses, waves, `protect` and mode observe are shown, and not lifted. Data loss that no spec asked for\n(destructive-drift) needs --address.',
        examples: [
          ['approve --reason "reviewed in #812"', 'show, ask, approve'],
          [
            'approve --address instance/web-0 --reason "its data is saved"',
            'only pending actions of this resource, destructive drift too',
          ],
          ['approve --history 1a2b3c4 --reason "secrets were purged"', 'follow a branch whose history was rewritten'],
          ['approve --refuse --reason "the image is not scanned yet"', 'say no: others see it, and may still approve'],
          ['approve --digest 1f2e3d4c5b6a --yes --reason "#812"', 'only if the pending actions still have this digest'],
        ],
      }),
    ),
  )
    .requiredOption(
      '--reason <text>',
      'the reason; others read it, and Setpoint writes it into the ledger',
      parseReason,
    )
    .addOption(
      new Option('--expires <duration>', 'how long it is valid').argParser(parseDuration).default(86_400_000, '24h'),
    )
    .option(
      '--address <address>',
      'only pending actions of this resource; an ending is enough, such as `instance/web-0`',
    )
    .option('--break-glass', 'the actions pass change windows and freezes; the ledger has an entry of its own')
    .addOption(
      new Option('--refuse', 'refuse the actions instead; others see it before they approve').conflicts([
        'expires',
        'history',
      ]),
    )
    .option('--allow-shared-scopes', allowSharedScopesText)
    .option('--digest <digest>', 'refuse if the pending actions have another digest', parseDigest)
    .addOption(
      new Option('--history <sha>', 'accept only the rewritten history with this head').conflicts([
        'digest',
        'address',
      ]),
    )
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['allowEndpoint', 'overlay', 'history', 'allowSharedScopes'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  if (options.expires === 0)
    throw new UserError('That approval would have expired already.', { next: 'Name a later end: --expires 24h' });
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) return decide(await proposalOnServer(server, options), options, context);
  const { history } = options;
  if (history !== undefined) return rewritten(dir, { ...options, history }, context);
  const estate = await readEstate(selectionOf(dir, options), context);
  return withCreatedStore(options.dir, context, async (store) => {
    if (options.allowSharedScopes !== true && options.refuse !== true) await refuseSharedScopes(estate, store);
    return withObservedEstate({ estate, store }, context, async (view) =>
      decide(await localProposal(view, options, context), options, context),
    );
  });
}

async function rewritten(
  dir: string,
  { history: commit, ...options }: Options & { readonly history: string },
  context: Context,
): Promise<ExitCode> {
  const { name: estate } = await readEstate({ dir, targets: [], allowEndpoint: true }, context);
  return withExistingStore(options.dir, context, async (store) => {
    const source = await acceptHistory({ estate, commit, reason: options.reason }, store);
    if (options.json) printJson(context.terminal, { estate, history: source });
    else
      printText(
        context.terminal,
        printable(`Approved: the history of ${source.source} up to ${shortRevision(source.head ?? '')}`),
      );
    return exitCodes.done;
  });
}

/** The question to a person, the reasons that it is incomplete, and the function that gives the approval. */
interface Proposal {
  readonly offer: PendingApprovals;
  readonly plans: readonly ScopePlan[];
  /** The reason that they may not approve. */
  readonly refused?: string;
  /** Further facts for the person. */
  readonly note?: string;
  give(until: number): Promise<GivenApprovals>;
  refuse(): Promise<readonly ShownRefusal[]>;
}

async function proposalOnServer(server: ApiClient, options: Options): Promise<Proposal> {
  const { offer, unseen: plans, refused, authorsUnknown } = await fetchPendingApprovals(server, options);
  const { expires: expiresMs, reason, target, address, estate, breakGlass } = options;
  return {
    offer,
    plans,
    refused,
    ...(authorsUnknown ? { note: 'The authors of some of these changes are unknown.\n' } : {}),
    give: () =>
      approveOnServer(server, { digest: offer.digest, reason, target, address, estate, expiresMs, breakGlass }),
    refuse: () => refuseOnServer(server, { digest: offer.digest, reason, target, address, estate, breakGlass }),
  };
}

async function localProposal(view: ObservedEstate<Store>, options: Options, context: Context): Promise<Proposal> {
  const { reason } = options;
  const offer = await pendingApprovalsOf(view, options);
  const { passed } = await brokenBy(options, view, offer.plans);
  return {
    offer,
    plans: view.plans,
    ...(offer.required.length === 0 ? {} : { note: `${notCounted(offer.required)}\n` }),
    give: async (until) => {
      const given = await giveApproval({ ...offer, reason, until, passed }, view, context);
      return { given, missing: offer.required };
    },
    refuse: async () => {
      const { plans, digest, generation } = offer;
      const by = { person: localUser(), reason };
      const made = await recordRefusals({ estate: offer.estate, plans, digest, generation, by }, view.store);
      if (made !== undefined) return made;
      throw new UserError('Nothing was refused: another generation was accepted in the meantime.', {
        why: 'The plan that you saw is older.',
        next: 'Review the new plan: setpoint approve --refuse',
        code: exitCodes.refused,
      });
    },
  };
}

/** A warning before the question: an approval on the store does not count for these changes. */
const notCounted = (required: readonly RequiredApproval[]): string =>
  `${count(new Set(required.map(({ digest }) => digest)).size, 'change needs', 'changes need')} approvals over the API as well. Yours on the store does not count there: anybody who opens it may claim any name.`;

async function decide(proposal: Proposal, options: Options, context: Context): Promise<ExitCode> {
  const { offer, plans, refused, note = '', give } = proposal;
  const { terminal, clock, signal } = context;
  if (options.refuse !== true) refuseUnseen(plans);
  terminal.err.write(pendingApprovalsText(offer, paintFor(terminal.err), agoFrom(clock.now())));
  refuseOther(offer, options.digest);
  if (options.refuse === true) return refuse(proposal, options, context);
  if (offer.plans.every(({ actions }) => actions.length === 0)) {
    if (options.json) printJson(terminal, approvalsJson([]));
    else printText(terminal, 'Approved: nothing; no action waits for approval', offer.accepts && notActive);
    return exitCodes.done;
  }
  if (refused !== undefined) throw new UserError('Nothing was approved.', { why: refused, code: exitCodes.refused });
  terminal.err.write(note);
  const until = clock.now() + options.expires;
  if (!options.yes && !(await askYes(terminal, { text: questionText(offer, until), flag: '--yes' }, signal)))
    throw new UserError('Nothing was approved.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  const { given, missing } = await give(until);
  if (options.json) printJson(terminal, sortKeys(approvalsJson(given, missing)));
  else
    printText(
      terminal,
      ...approvalText(offer, { given, missing, breakGlass: options.breakGlass === true }, clock.now()),
    );
  return exitCodes.done;
}

async function refuse(
  { offer, refuse: record }: Proposal,
  { yes, json }: Options,
  { terminal, signal }: Context,
): Promise<ExitCode> {
  if (offer.accepts !== undefined)
    throw new UserError('Nothing was refused: these specs are not active.', {
      why: 'A refusal is about the pending actions of the active specs.',
      next: 'Name the folder of the active specs, or a server: setpoint approve --refuse --server URL',
    });
  if (offer.plans.every(({ actions }) => actions.length === 0)) {
    if (json) printJson(terminal, refusalsJson([]));
    else printText(terminal, 'Refused: nothing; no action waits for approval');
    return exitCodes.done;
  }
  if (!yes && !(await askYes(terminal, { text: refusalQuestionText(offer), flag: '--yes' }, signal)))
    throw new UserError('Nothing was refused.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
  const refusals = await record();
  if (json) printJson(terminal, sortKeys(refusalsJson(refusals)));
  else printText(terminal, ...refusalText(offer, refusals));
  return exitCodes.done;
}

const notActive =
  '  These specs are not active: setpoint apply activates them, and so does a worker that follows them.';

async function pendingApprovalsOf(
  view: ObservedEstate<Store>,
  { address, breakGlass }: Options,
): Promise<PendingApprovals> {
  const { estate, store, bound } = view;
  const newest = await store.generations.current(estate.name);
  const isNewest = newest?.revision === bound.revision;
  const approvable = await approvableIn(view, isNewest ? await saidOf(view) : new Map(), {
    address,
    breakGlass,
  });
  const waiting = { actions: new Set(digestsIn(approvable.plans)), required: approvable.required };
  const { refusals, truncated } = isNewest
    ? await refusalsOf(estate.name, waiting, store)
    : { refusals: [], truncated: false };
  return {
    estate: estate.name,
    revision: bound.revision,
    ...approvable,
    digest: planDigest(approvable.plans, sha256),
    generation: bound.generation ?? 1,
    refusals,
    refusalsTruncated: truncated,
    ...(isNewest ? {} : { accepts: newest === undefined ? {} : { after: newest } }),
  };
}

/** An approval is bound to what was seen. */
function refuseUnseen(plans: readonly ScopePlan[]): void {
  const code = incompleteExitCode(plans);
  if (code === undefined) return;
  const why = plans.flatMap(({ findings }) => findings.filter(({ type }) => unseen.has(type))).map((one) => one.why);
  throw new UserError('Nothing was approved: the observation is incomplete.', { why: printable(why).join('\n'), code });
}

const unseen: ReadonlySet<string> = new Set(['incomplete', 'wrong-account', 'foreign-store']);

function refuseOther({ digest }: PendingApprovals, asked: string | undefined): void {
  if (asked === undefined || digest.startsWith(asked)) return;
  throw new UserError('The pending actions have changed since that digest.', {
    why: `Their digest is now ${digest.slice(0, shownDigits)}, not ${asked.slice(0, shownDigits)}.`,
    next: `Review the actions above. To approve them: --digest ${digest.slice(0, shownDigits)}`,
    code: exitCodes.refused,
  });
}

/** `generation`: that the specs are, or become by this. */
interface NewApproval extends Pick<Said, 'plans' | 'digest' | 'generation' | 'until' | 'passed'> {
  readonly reason: string;
}

/** One approval for each scope with pending actions, in the generation that was shown; workers check at once. */
async function giveApproval(
  { plans, digest, generation, reason, until, passed }: NewApproval,
  { estate, store }: Pick<EstateView, 'estate'> & { readonly store: Store },
  context: Context,
): Promise<readonly Approval[]> {
  const newest = await store.generations.current(estate.name);
  refuseSuperseded({ generation, newest, estate }, 'approved');
  const isNew = newest?.number !== (await acceptFolder(estate, store, context)).number;
  const by = { person: localUser(), reason };
  const given = await give({ estate: estate.name, plans, generation, digest, by, until, passed }, store);
  const scopes = isNew ? estate.compiled.scopes.map(({ scope }) => scope) : given.map(({ scope }) => scope);
  await requestReconciles(estate, scopes, { store, reason: `${by.person} approved: ${by.reason}` });
  return given;
}

interface Rewritten {
  readonly estate: string;
  /** The beginning of the new head's hash. */
  readonly commit: string;
  readonly reason: string;
}

/** Takes on a history that was rewritten: its head may come into force, if it is signed as the estate asks. */
async function acceptHistory({ estate, commit, reason }: Rewritten, store: Store): Promise<SourceState> {
  const waiting = (await store.sources.states.list(estate)).filter(({ state }) => state === 'rewritten');
  const meant = waiting.filter(({ head }) => head?.startsWith(`git:${commit.toLowerCase()}`));
  const [source] = meant;
  if (source?.head === undefined || meant.length > 1 || !/^[0-9a-f]{7,40}$/i.test(commit)) throw none(commit, waiting);
  const current = await store.generations.current(estate);
  const move = { head: source.head, after: current === undefined ? '' : baseRevision(current.revision) };
  await store.sources.histories.accept(estate, move, { person: localUser(), reason });
  // why: the follower hears it at once, and not at its next read
  await store.sources.wakeUps.add(estate);
  return source;
}

function none(commit: string, waiting: readonly SourceState[]): UserError {
  const lines = waiting.flatMap(({ head }) =>
    head === undefined ? [] : [printable(`--history ${head.slice(4, 16)}  # ${shortRevision(head)}`)],
  );
  return new UserError(`No rewritten history with the head ${JSON.stringify(commit)} waits for approval.`, {
    next:
      lines.length === 0 ? 'No history waits for approval: setpoint status' : `Name one of these:\n${lines.join('\n')}`,
  });
}
