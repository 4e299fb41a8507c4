import { join } from 'node:path';
import type { Command } from 'commander';
import { type Reach, type ReachAnswer, type ReachEnd, reachIn } from '../../core/effect/reach.ts';
import { endIn, servicesFrom } from '../../core/effect/reach-ends.ts';
import type { Services } from '../../core/effect/service-set.ts';
import { observedState, type TrafficState } from '../../core/effect/state.ts';
import { answerOf, reachJson, reachText, type ScopeReach } from '../../core/render/reach.ts';
import { allListedSettings, type ScopeKey } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { type ObservedScope, withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, selectionOf, withSpecsOption } from '../options.ts';
import { paintFor, printJson, printText } from '../output/print.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly json?: boolean;
}

export const reach = (context: Context): Command =>
  withSpecsOption(
    defineCommand('reach', {
      group: 'Look',
      summary: 'check the traffic from one end to another, and name the deciding rule',
      about:
        'Observes every target and changes nothing. An end is an instance (`web-0`), a group (`core.web`), a subnet (`core.app`), a\nnetwork, a document, a block of addresses, or `internet`. Exits with 0 for yes, 2 for no and 3 for unknown; 1 is an error.',
      examples: [
        ['reach internet web-0 443', 'TCP; 53/udp and icmp for others'],
        ['reach core.web core.db', 'all that is open'],
        ['reach 198.51.100.0/24 core.app 22 --target aws-prod', 'in one target'],
      ],
    })
      .argument('<from>', 'sender')
      .argument('<to>', 'receiver')
      .argument('[port]', 'port and protocol, such as 5432, 53/udp, 8000-8100 or icmp; default: all'),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (...given: readonly unknown[]) => {
      const command = given.at(-1) as Command; // why: commander gives it last
      const [from = '', to = '', port] = command.processedArgs as readonly (string | undefined)[]; // why: the three arguments above
      context.finish(await run({ from, to, port }, command.optsWithGlobals<Options>(), context));
    });

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly port: string | undefined;
}

const codes: Readonly<Record<ReachAnswer, ExitCode>> = {
  yes: exitCodes.done,
  no: exitCodes.changes,
  unknown: exitCodes.refused,
};

async function run(asked: Asked, options: Options, context: Context): Promise<ExitCode> {
  const services = askedServices(asked);
  const estate = await readEstate(selectionOf(options.specs, options), context);
  const scopes = await withOptionalStore(options.dir, context, (store) =>
    withObservedEstate(
      { estate, store, settings: allListedSettings, freshFilters: true },
      context,
      async ({ looked }) => answersFor(asked, services, looked),
    ),
  );
  const { terminal } = context;
  const answer = answerOf(scopes);
  if (options.json) printJson(terminal, reachJson(scopes));
  else {
    const paint = paintFor(terminal.out);
    const placeOf = ({ file, line }: { readonly file: string; readonly line: number }): string =>
      `${join(estate.dir, file)}:${line}`;
    const isPart =
      answer === 'yes' &&
      scopes.some((one) => one.answer === 'unknown' || one.ways.some((way) => way.answer !== 'yes'));
    const verdict = isPart ? 'Yes, in part' : verdicts[answer];
    printText(terminal, `${verdict}: ${questionText(asked)}`, reachText(scopes, { paint, placeOf }));
  }
  return codes[answer];
}

const verdicts: Readonly<Record<ReachAnswer, string>> = { yes: 'Yes', no: 'No', unknown: 'Unknown' };

const questionText = ({ from, to, port }: Asked): string =>
  printable(`${from} → ${to}${port === undefined ? '' : ` on ${port}`}`);

function askedServices({ port }: Asked): Services | undefined {
  if (port === undefined) return undefined;
  const services = servicesFrom(port);
  if (services !== undefined) return services;
  throw new UserError(`"${port}" is no port.`, { next: 'Write a port such as 5432, 53/udp, 8000-8100/tcp, or icmp.' });
}

interface Ends {
  readonly scope: ScopeKey;
  readonly state: TrafficState;
  readonly from: ReachEnd | undefined;
  readonly to: ReachEnd | undefined;
}

function answersFor(
  asked: Asked,
  services: Services | undefined,
  looked: readonly ObservedScope[],
): readonly ScopeReach[] {
  const all = looked.map(({ scope, input }): Ends => {
    const state = observedState(input);
    return { scope: scope.scope, state, from: endIn(state, asked.from), to: endIn(state, asked.to) };
  });
  refuseUnknown(asked.from, all, ({ from }) => from);
  refuseUnknown(asked.to, all, ({ to }) => to);
  const answers = all.flatMap(({ scope, state, from, to }): readonly ScopeReach[] => {
    if ((from === undefined || to === undefined) && state.gaps.length > 0) return [{ scope, ...unlisted(state) }];
    if (from === undefined || to === undefined || (from.kind === 'block' && to.kind === 'block')) return [];
    const question = { from, to, ...(services === undefined ? {} : { services }) };
    return [{ scope, ...reachIn(state, question) }];
  });
  if (answers.length > 0) return answers;
  if (all.some(({ from }) => from?.kind === 'machines') && all.some(({ to }) => to?.kind === 'machines'))
    throw new UserError(`${asked.from} and ${asked.to} lie in different scopes.`, apart);
  throw new UserError('One end must be an instance, a group, a subnet or a network.', {
    next: 'setpoint inventory --refresh lists them.',
  });
}

/** A scope that was not listed: its ends may be there. */
const unlisted = ({ gaps }: TrafficState): Reach => ({
  ...{ answer: 'unknown', ways: [], assumptions: [] },
  notes: gaps.map(({ kind, reason }) => `${kind} was not listed completely: ${reason}`),
});

const apart = {
  why: 'Setpoint evaluates the traffic within one account and region, project, or subscription and location.',
  next: 'Ask from the public address of one of them, or from `internet`.',
};

function refuseUnknown(word: string, all: readonly Ends[], endOf: (ends: Ends) => ReachEnd | undefined): void {
  if (all.some((ends) => endOf(ends) !== undefined)) return;
  const gaps = all.flatMap(({ state: { gaps } }) =>
    gaps.map(({ kind, reason }) => `${kind} was not listed completely: ${reason}`),
  );
  throw new UserError(`Nothing here is called "${word}".`, {
    ...(gaps.length === 0 ? {} : { why: [...new Set(gaps)].join('; ') }),
    next: 'Name an instance such as web-0, a group such as core.web, a subnet such as core.app, a block of addresses, or internet.',
  });
}
