import { join } from 'node:path';
import type { Command } from 'commander';
import type { ReachAnswer } from '../../core/effect/reach.ts';
import { type ReachWords, reachBetweenInSteps } from '../../core/effect/reach-between.ts';
import { servicesFrom } from '../../core/effect/reach-ends.ts';
import type { Services } from '../../core/effect/service-set.ts';
import { observedState } from '../../core/effect/state.ts';
import { type ReachJson, reachJson, reachText, type ScopeReach } from '../../core/render/reach.ts';
import { allListedSettings } from '../../core/resource.ts';
import { finish } from '../../core/steps.ts';
import { printable } from '../../core/text.ts';
import { renderAnswer } from '../api-client/client.ts';
import { fetchReach } from '../api-client/reach.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { type ObservedScope, withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, selectionOf, withSpecsOption } from '../options.ts';
import { paintFor, printJson, printText } from '../output/print.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly specs: string;
  readonly json?: boolean;
}

export const reach = (context: Context): Command =>
  withServerEstateOption(
    withSpecsOption(
      defineCommand('reach', {
        group: 'Look',
        summary: 'check the traffic from one end to another, and name the deciding rule',
        about:
          'Observes every target and changes nothing; with --server it takes the newest observations of the server. An end is an instance (`web-0`), a group (`core.web`), a subnet (`core.app`), a\nnetwork, a document, a block of addresses, or `internet`. Exits with 0 for yes, 2 for no and 3 for unknown; 1 is an error.',
        examples: [
          ['reach internet web-0 443', 'TCP; 53/udp and icmp for others'],
          ['reach core.web core.db', 'all that is open'],
          ['reach 198.51.100.0/24 core.app 22 --target aws-prod', 'in one target'],
        ],
      })
        .argument('<from>', 'sender')
        .argument('<to>', 'receiver')
        .argument('[port]', 'port and protocol, such as 5432, 53/udp, 8000-8100 or icmp; default: all'),
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (...given: readonly unknown[]) => {
      const command = given.at(-1) as Command; // why: commander gives it last
      const [from = '', to = '', port] = command.processedArgs as readonly (string | undefined)[]; // why: the three arguments above
      context.finish(await run({ from, to, port }, command, context));
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

const serverSupport: ServerSupport = {
  localOptions: ['specs', 'allowEndpoint', 'overlay'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(asked: Asked, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const services = askedServices(asked);
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const found = await fetchReach(server, asked, options);
    return renderAnswer(server, () => print(asked, found, { options, context, dir: '' }));
  }
  const estate = await readEstate(selectionOf(options.specs, options), context);
  const scopes = await withOptionalStore(options.dir, context, (store) =>
    withObservedEstate(
      { estate, store, settings: allListedSettings, freshFilters: true },
      context,
      async ({ looked }) => answersFor({ ...asked, services }, looked),
    ),
  );
  return print(asked, reachJson(scopes), { options, context, dir: estate.dir });
}

interface How {
  readonly options: Pick<Options, 'json'>;
  readonly context: Context;
  /** Of the specs, as the reader sees it. */
  readonly dir: string;
}

function print(asked: Asked, found: ReachJson, { options: { json }, context: { terminal }, dir }: How): ExitCode {
  const { answer, scopes } = found;
  if (json) printJson(terminal, found);
  else {
    const paint = paintFor(terminal.out);
    const placeOf = ({ file, line }: { readonly file: string; readonly line: number }): string =>
      `${join(dir, file)}:${line}`;
    const isPart =
      answer === 'yes' &&
      scopes.some((one) => one.answer === 'unknown' || one.ways.some((way) => way.answer !== 'yes'));
    const verdict = isPart ? 'Yes, in part' : verdicts[answer];
    printText(terminal, `${verdict}: ${questionText(asked)}`, reachText(found, { paint, placeOf }));
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

function answersFor(words: ReachWords, looked: readonly ObservedScope[]): readonly ScopeReach[] {
  const { from, to } = words;
  const states = looked.map(({ scope, input }) => ({ scope: scope.scope, state: observedState(input) }));
  const found = finish(reachBetweenInSteps(words, states));
  if ('scopes' in found) return found.scopes;
  switch (found.problem) {
    case 'unnamed':
      throw new UserError(`Nothing here is called "${found.word}".`, {
        ...(found.gaps.length === 0 ? {} : { why: found.gaps.join('; ') }),
        next: 'Name an instance such as web-0, a group such as core.web, a subnet such as core.app, a block of addresses, or internet.',
      });
    case 'apart':
      throw new UserError(`${from} and ${to} lie in different scopes.`, {
        why: 'Setpoint evaluates the traffic within one account and region, project, or subscription and location.',
        next: 'Ask from the public address of one of them, or from `internet`.',
      });
    case 'outside':
      throw new UserError('One end must be an instance, a group, a subnet or a network.', {
        next: 'setpoint inventory --refresh lists them.',
      });
  }
}
