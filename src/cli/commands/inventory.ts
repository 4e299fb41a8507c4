import { type Command, Option } from 'commander';
import { claims, type Ownership, ownership } from '../../core/inventory/ownership.ts';
import { sentence } from '../../core/inventory/resource-state.ts';
import type { Claim, Status } from '../../core/inventory/row.ts';
import { rowsOf } from '../../core/inventory/rows.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Observation } from '../../core/observed.ts';
import { actionRecorder } from '../../core/plan/destructive-drift.ts';
import { plan } from '../../core/plan/plan.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import type { HeldSource } from '../../core/render/plan-json.ts';
import { type Kind, nameIn } from '../../core/resource.ts';
import { compareText } from '../../core/text.ts';
import { withUnrecorded } from '../../engine/converge.ts';
import type { Store } from '../../ports/store.ts';
import { type Estate, heldSources } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withEstateOptions } from '../estate/options.ts';
import { tellHeldSources } from '../estate/source-words.ts';
import { withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { emitJson } from '../output/emit.ts';
import { inOrder } from '../output/in-order.ts';
import { inventoryJson, inventoryText, type Piece, type Shelf } from '../output/inventory-text.ts';
import { type Client, rendered } from '../server/client.ts';
import { refuseUnknown } from '../server/drift.ts';
import { shelvesOn } from '../server/inventory.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import { lookAgainOn, targetsOn } from '../server/targets.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions, ServedEstateOption {
  readonly kind?: Kind;
  readonly claim?: Claim;
  readonly refresh?: boolean;
  readonly json?: boolean;
}

export const inventory = (context: Context): Command =>
  withServedEstateOption(
    withEstateOptions(
      verb('inventory', {
        group: 'Look',
        summary: 'list what stands on the clouds, whose it is and why',
        about: 'From the last look that is kept in the store, with its age and completeness; --refresh looks now.',
        examples: [
          ['inventory', 'everything, as last seen'],
          ['inventory --refresh --claim unmanaged', 'look now; what nobody manages, with the reason'],
        ],
      }),
    ),
  )
    .addOption(new Option('--kind <kind>', 'only this kind').choices(kindNames))
    .addOption(new Option('--claim <owner>', 'only what is so owned').choices(claims))
    .option('--refresh', 'look at the clouds now')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const sides: Sides = { here: ['allowEndpoint', 'overlay'], there: ['estate'], dir: false };

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await serverFor(command, sides, context);
  if (server !== undefined) {
    const shelves = await shelvesThere(server, options, context);
    return rendered(server, () => tell({ all: shelves, held: [] }, options, context));
  }
  const allowEndpoint = options.allowEndpoint ?? !options.refresh;
  const estate = await readEstate(choiceOf(dir, { ...options, allowEndpoint }), context);
  const { all, held } = await withStore(options.dir, context, async (store) => ({
    all: await shelves(estate, store, options, context),
    held: await heldSources(estate.name, store),
  }));
  // why: a survey has told them already
  if (!options.refresh) tellHeldSources(held, context);
  return tell({ all, held }, options, context);
}

async function shelvesThere(server: Client, options: Options, context: Context): Promise<readonly Shelf[]> {
  const targets = await targetsOn(server, options);
  refuseUnknown(options.target, { targets: targets.map(({ name }) => name) }, server.url);
  const chosen = targets.filter(({ name }) => options.target.length === 0 || options.target.includes(name));
  return shelvesOn(server, options.refresh ? await lookAgainOn(server, chosen, context) : chosen, options);
}

interface Found {
  readonly all: readonly Shelf[];
  /** Sources whose newest state is not in force. */
  readonly held: readonly HeldSource[];
}

function tell({ all, held }: Found, options: Options, { terminal, clock }: Context): ExitCode {
  const chosen = all
    .map((shelf) => ({ ...shelf, objects: shelf.objects.filter((one) => isChosen(one, options)) }))
    .sort((a, b) => compareText(a.scope, b.scope));
  const now = clock.now();
  if (options.json)
    emitJson(terminal, { ...inventoryJson(chosen, now), ...(held.length === 0 ? {} : { sources: inOrder(held) }) });
  else terminal.out.write(inventoryText(chosen, now, terminal.out));
  return exitCodes.done;
}

const isChosen = (piece: Piece, { kind, claim }: Options): boolean =>
  (kind === undefined || piece.kind === kind) && (claim === undefined || piece.claim === claim);

async function shelves(
  estate: Estate,
  store: Store | undefined,
  { refresh, dir }: Options,
  context: Context,
): Promise<readonly Shelf[]> {
  if (refresh) {
    return withSurvey({ estate, store }, context, async ({ looked }) => looked.map(({ input }) => shelfOf(input)));
  }
  if (store === undefined)
    throw new Complaint(`There is no store in ${dir}, so nothing was kept.`, { next: 'Look now with --refresh.' });
  const kept = new Map((await store.inventory.latest(estate.name)).map((seen) => [seen.scope, seen]));
  return Promise.all(
    estate.scopes.flatMap(({ scope }) => {
      const seen = kept.get(scope);
      return seen === undefined ? [] : [fromStore(seen, estate, store)];
    }),
  );
}

async function fromStore(observation: Observation, estate: Estate, store: Store): Promise<Shelf> {
  const scope = estate.scopes.find((one) => one.scope === observation.scope);
  const provider = scope?.targets[0] && estate.clouds.get(scope.targets[0].spec.provider);
  if (scope === undefined || provider === undefined) throw new Error(`${observation.scope} is in no spec`);
  const known = await store.inventory.knowledge(estate.name, scope.scope);
  const knowledge = await withUnrecorded(known, observation, store.inventory);
  return shelfOf({ wanted: scope.wanted, observation, knowledge, dialect: provider.dialect });
}

function shelfOf(input: PlanInput): Shelf {
  const { scope, at, gaps } = input.observation;
  const noted = actionRecorder();
  const { choices } = input;
  const made = plan({ ...input, choices: { ...choices, policies: [...(choices?.policies ?? []), noted.policy] } });
  const rows = rowsOf({ input, plan: made, planned: noted.planned(), generation: 0 });
  const status = new Map(rows.flatMap(({ called: { id }, state }) => (id === undefined ? [] : [[id, state.status]])));
  const objects = ownership(input, made).map((one) => pieceOf(one, status.get(one.observed.id) ?? 'Unmanaged'));
  return { scope, at, gaps, objects };
}

function pieceOf({ observed, claim, address, why, by }: Ownership, status: Status): Piece {
  const { kind, id, name, attributes } = observed;
  return {
    kind,
    id,
    // why: not all clouds have names for all kinds
    name: name === '' && address !== undefined ? nameIn(address, kind) : name,
    status,
    claim,
    ...(address === undefined ? {} : { address }),
    why: claim === 'ours' || claim === 'orphan' ? why : sentence(why),
    ...(by === undefined ? {} : { by }),
    attributes,
  };
}
