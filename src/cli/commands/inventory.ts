import { type Command, Option } from 'commander';
import type { CompiledScope } from '../../core/compile/compile.ts';
import { type PriceTable, priceTable } from '../../core/cost/cost.ts';
import { type Criticality, criticalities, criticalityOf } from '../../core/criticality.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import {
  coverageOf,
  type Grouping,
  groupings,
  groupsOf,
  isIgnored,
  isUnmanaged,
} from '../../core/inventory/coverage.ts';
import { idleIn } from '../../core/inventory/idle.ts';
import { claims, type Ownership, ownership } from '../../core/inventory/ownership.ts';
import { sentence } from '../../core/inventory/resource-state.ts';
import type { Claim, Row } from '../../core/inventory/row.ts';
import { rowsOf } from '../../core/inventory/rows.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Observation } from '../../core/observed.ts';
import { actionRecorder } from '../../core/plan/destructive-drift.ts';
import { plan } from '../../core/plan/plan.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import { type HeldSource, sourceJson } from '../../core/render/plan-json.ts';
import { type Kind, nameIn } from '../../core/resource.ts';
import { compareText } from '../../core/text.ts';
import { withUnrecorded } from '../../engine/converge.ts';
import { withViolations } from '../../estate/policies.ts';
import type { Store } from '../../ports/store.ts';
import { heldSources } from '../../queries/estate-view.ts';
import { type ApiClient, renderAnswer } from '../api-client/client.ts';
import {
  fetchInventory,
  fetchTargets,
  type InventoryObject,
  refreshTargets,
  type ScopeInventory,
} from '../api-client/inventory.ts';
import { refuseUnknown } from '../api-client/plans.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { type LocalEstate, readEstate } from '../local/estate.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, selectionOf, withEstateOptions } from '../options.ts';
import { type InventoryView, inventoryJson, inventoryText } from '../output/inventory.ts';
import { printHeldSources } from '../output/plan.ts';
import { printJson, sortKeys } from '../output/print.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly kind?: Kind;
  readonly claim?: Claim;
  readonly unmanaged?: boolean;
  readonly ignored?: boolean;
  readonly violations?: boolean;
  readonly criticality?: Criticality;
  readonly exposed?: boolean;
  readonly idle?: boolean;
  readonly groupBy?: Grouping;
  readonly refresh?: boolean;
  readonly json?: boolean;
}

export const inventory = (context: Context): Command =>
  withServerEstateOption(
    withEstateOptions(
      defineCommand('inventory', {
        group: 'Look',
        summary: 'list the resources on the clouds, their owners and the reasons',
        about:
          'Shows the last stored observation, with its age and completeness; --refresh observes now.\n\n--unmanaged lists the objects that no document of this estate manages: objects that nobody claims, of other estates, and with a copied mark. It excludes orphans, because Setpoint owns them, and objects that a target ignores: see --ignored. With --unmanaged or --group-by, the coverage is the share of all objects that documents manage. Of an incomplete listing there is no percentage.',
        examples: [
          ['inventory', 'everything, as last observed'],
          ['inventory --refresh --unmanaged', 'observe now; list objects that no document manages, with the reason'],
          ['inventory --idle', 'stopped machines and empty groups, with their monthly cost'],
          ['inventory --unmanaged --group-by origin', 'count them by the tool or service that made them'],
          [
            'inventory --exposed',
            'machines that the internet reaches, by which rules, and those of which Setpoint cannot tell',
          ],
          ['inventory --violations', 'existing objects that break a policy, of any author'],
        ],
      }),
    ),
  )
    .addOption(new Option('--kind <kind>', 'only this kind').choices(kindNames))
    .addOption(new Option('--claim <owner>', 'only objects with this claim').choices(claims))
    .option('--unmanaged', 'only objects that no document manages, with the coverage')
    .addOption(
      new Option(
        '--ignored',
        'only unmanaged objects that a target ignores, with owner, reason and last day',
      ).conflicts('unmanaged'),
    )
    .option('--exposed', 'only machines that the internet reaches or may reach, with the ports and the rules')
    .option('--violations', 'only objects that break a rule of a policy, with the rules')
    .addOption(new Option('--criticality <class>', 'only objects of this criticality').choices(criticalities))
    .addOption(
      new Option('--group-by <property>', 'count the objects by this property, with the coverage').choices(groupings),
    )
    .addOption(
      new Option(
        '--idle',
        'only stopped machines and groups without a machine, with their monthly cost by the prices in the specs',
      ).conflicts('groupBy'),
    )
    .option('--refresh', 'observe the clouds now')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['allowEndpoint', 'overlay'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const found = await inventoryOnServer(server, options, context);
    return renderAnswer(server, () => print({ ...found, held: [] }, options, context));
  }
  const allowEndpoint = options.allowEndpoint ?? !options.refresh;
  const estate = await readEstate(selectionOf(dir, { ...options, allowEndpoint }), context);
  const { all, held } = await withOptionalStore(options.dir, context, async (store) => ({
    all: await inventories(estate, store, options, context),
    held: await heldSources(estate.name, store),
  }));
  // why: a refresh has printed them already
  if (!options.refresh) printHeldSources(held, context);
  const observed = new Set(all.map((one) => one.scope));
  const unobserved = estate.scopes.map((one) => one.scope).filter((scope) => !observed.has(scope));
  const prices = priceTable(ofKind(estate.tree.documents, 'Prices').map(({ value }) => value));
  return print({ all, unobserved, held, prices }, options, context);
}

async function inventoryOnServer(server: ApiClient, options: Options, context: Context): Promise<Omit<Found, 'held'>> {
  const targets = await fetchTargets(server, options);
  refuseUnknown(options.target, { targets: targets.map(({ name }) => name) }, server.url);
  const chosen = targets.filter(({ name }) => options.target.length === 0 || options.target.includes(name));
  const observed = options.refresh ? await refreshTargets(server, chosen, context) : chosen;
  return {
    all: await fetchInventory(server, observed, isSummary(options) || options.idle ? {} : options),
    unobserved: [...new Set(observed.flatMap((one) => (one.observation === undefined ? [one.scope] : [])))],
  };
}

interface Found {
  readonly all: readonly ScopeInventory[];
  /** Scopes of the chosen targets without an observation. */
  readonly unobserved: readonly string[];
  /** Sources whose newest state is not active. */
  readonly held: readonly HeldSource[];
  /** Of the specs; absent: there are none, or a server answered. */
  readonly prices?: PriceTable | undefined;
}

function print(found: Found, options: Options, { terminal, clock }: Context): ExitCode {
  const view = viewOf(found, options);
  const now = clock.now();
  if (options.json)
    printJson(terminal, {
      ...inventoryJson(view, now),
      ...(found.held.length === 0 ? {} : { sources: sortKeys(found.held.map(sourceJson)) }),
    });
  else terminal.out.write(inventoryText(view, now, terminal.out));
  return exitCodes.done;
}

/** Groups and coverage need objects that are not chosen, too. */
const isSummary = ({ unmanaged, ignored, groupBy }: Options): boolean =>
  unmanaged === true || ignored === true || groupBy !== undefined;

function viewOf(found: Found, options: Options): InventoryView {
  return options.idle ? idleView(found, options) : chosenView(found, options);
}

/** All machines decide whether a group is empty, also those that the options leave out. */
function idleView(found: Found, options: Options): InventoryView {
  const { all, prices } = found;
  const objects = new Map(all.flatMap((one) => [...idleIn(one, prices)]));
  const idle = { objects, ...(prices === undefined ? {} : { currency: prices.currency }) };
  const scopes = all.map((one) => ({ ...one, objects: one.objects.filter((object) => objects.has(object)) }));
  const view = chosenView({ ...found, all: scopes }, options);
  const shown = new Set(view.scopes.flatMap((one) => one.objects));
  return {
    scopes: view.scopes,
    unobserved: view.unobserved,
    idle: { ...idle, objects: new Map([...objects].filter(([object]) => shown.has(object))) },
  };
}

function chosenView({ all, unobserved }: Found, options: Options): InventoryView {
  const { kind, groupBy, exposed = false } = options;
  const scopes = all.toSorted((a, b) => compareText(a.scope, b.scope));
  const isOfKind = (one: { readonly kind: Kind }): boolean => kind === undefined || one.kind === kind;
  const chosen = scopes.map((one) => ({ ...one, objects: one.objects.filter((object) => isChosen(object, options)) }));
  if (!isSummary(options)) return { scopes: chosen, unobserved, isOfExposure: exposed };
  const counted = scopes.map((one) => ({
    ...one,
    gaps: one.gaps.filter(isOfKind),
    objects: one.objects.filter(isOfKind),
  }));
  return {
    scopes: chosen,
    unobserved,
    coverage: coverageOf(counted, unobserved),
    ...(groupBy === undefined
      ? {}
      : { groups: { by: groupBy, all: groupsOf(scopes, groupBy, (one) => isChosen(one, options)) } }),
  };
}

const isChosen = (object: InventoryObject, asked: Options): boolean =>
  (asked.kind === undefined || object.kind === asked.kind) &&
  (asked.claim === undefined || object.claim === asked.claim) &&
  (asked.unmanaged !== true || isUnmanaged(object)) &&
  (asked.ignored !== true || isIgnored(object)) &&
  (asked.violations !== true || object.violations !== undefined) &&
  (asked.criticality === undefined || (object.criticality ?? 'normal') === asked.criticality) &&
  (asked.exposed !== true || (object.exposed !== undefined && object.exposed.answer !== 'no'));

async function inventories(
  estate: LocalEstate,
  store: Store | undefined,
  { refresh, dir }: Options,
  context: Context,
): Promise<readonly ScopeInventory[]> {
  if (refresh) {
    return withObservedEstate({ estate, store }, context, async ({ looked }) =>
      Promise.all(looked.map(({ input, scope }) => shelfOf(input, estate, scope))),
    );
  }
  if (store === undefined)
    throw new UserError(`There is no store in ${dir}, so there is no inventory.`, {
      next: 'Observe now with --refresh.',
    });
  const kept = new Map((await store.inventory.latest(estate.name)).map((seen) => [seen.scope, seen]));
  return Promise.all(
    estate.scopes.flatMap(({ scope }) => {
      const seen = kept.get(scope);
      return seen === undefined ? [] : [fromStore(seen, estate, store)];
    }),
  );
}

async function fromStore(observation: Observation, estate: LocalEstate, store: Store): Promise<ScopeInventory> {
  const scope = estate.scopes.find((one) => one.scope === observation.scope);
  const provider = scope?.targets[0] && estate.clouds.get(scope.targets[0].spec.provider);
  if (scope === undefined || provider === undefined) throw new Error(`${observation.scope} is in no spec`);
  const known = await store.inventory.knowledge(estate.name, scope.scope);
  const knowledge = await withUnrecorded(known, observation, store.inventory);
  return shelfOf({ wanted: scope.wanted, observation, knowledge, dialect: provider.dialect }, estate, scope);
}

async function shelfOf(input: PlanInput, estate: LocalEstate, place: CompiledScope): Promise<ScopeInventory> {
  const { scope, at, gaps } = input.observation;
  const noted = actionRecorder();
  const { choices } = input;
  const made = plan({ ...input, choices: { ...choices, holds: [...(choices?.holds ?? []), noted.hold] } });
  const unjudged = rowsOf({ input, plan: made, planned: noted.planned(), generation: 0 });
  const rows = await withViolations(unjudged, estate, { targets: place.targets, observation: input.observation });
  const byId = new Map(rows.flatMap((row) => (row.called.id === undefined ? [] : [[row.called.id, row]])));
  const objects = ownership(input, made).map((one) => pieceOf(one, byId.get(one.observed.id)));
  return { scope, at, gaps, objects };
}

function pieceOf({ observed, claim, address, why, by, ignored }: Ownership, row: Row | undefined): InventoryObject {
  const { kind, id, name, attributes, signs } = observed;
  return {
    kind,
    id,
    // why: not all clouds have names for all kinds
    name: name === '' && address !== undefined ? nameIn(address, kind) : name,
    status: row?.state.status ?? 'Unmanaged',
    claim,
    address,
    why: claim === 'ours' || claim === 'orphan' ? why : sentence(why),
    by,
    origin: signs.origin,
    ignored,
    ...criticalityOf(row === undefined ? [] : [row.whose]),
    ...(row?.violations === undefined ? {} : { violations: row.violations }),
    ...(row?.exposed === undefined ? {} : { exposed: row.exposed }),
    attributes,
  };
}
