import { type Command, InvalidArgumentError, Option } from 'commander';
import { bareGrant, type Grant, permissionsOf, type Role, roles } from '../../core/access/grant.ts';
import { formatMoment } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { Store } from '../../ports/store.ts';
import type { Token, TokenDraft } from '../../ports/tokens.ts';
import { boundsText } from '../api-client/logins.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { localUser } from '../local/ledger-access.ts';
import { withCreatedStore, withExistingStore } from '../local/store.ts';
import { collect, defineCommand, parseDuration } from '../options.ts';
import { count, formatDuration } from '../output/format.ts';
import { printJson, printText } from '../output/print.ts';
import { table } from '../output/table.ts';

interface Options {
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

interface MakeOptions extends Options, BoundOptions {
  readonly name: string;
  readonly role: Role;
  readonly approvalRole?: readonly string[];
  readonly expires: number;
  readonly for?: string;
}

interface BoundOptions {
  readonly estate?: readonly string[];
  readonly target?: readonly string[];
  readonly owner?: readonly string[];
}

export const token = (context: Context): Command =>
  defineCommand('token', {
    group: 'Server',
    summary: 'create, list and revoke API tokens',
    about:
      'Works on the store itself, so it needs the access of an administrator. Setpoint prints a token once, and stores only its hash.',
    examples: [
      ['token make --name ci --role planner --expires 30d', 'for a pipeline'],
      ['token make --name ann --role approver --for ann@acme.example', 'for a person, who can then approve'],
      ['token list', 'all tokens, with their makers and last use'],
      ['token revoke 3f1c9a52b7e40d68', 'no longer valid from then on'],
    ],
  })
    .addCommand(make(context))
    .addCommand(list(context))
    .addCommand(revoke(context));

const day = 86_400_000;
const longestMs = 366 * day;

const make = (context: Context): Command =>
  defineCommand('make', {
    group: 'Server',
    summary: 'create a token; it is printed once, alone on stdout',
    about:
      'Without restrictions the role covers everything. A token without a person cannot approve changes of people, because that\nperson could be their author.',
    examples: [['token make --name ci --role planner --estate acme > token', 'into a file']],
  })
    .requiredOption('--name <name>', 'name of the token', parseName)
    .addOption(new Option('--role <role>', 'role of the token').choices(roles).makeOptionMandatory())
    .option('--estate <name>', 'only in this estate; repeatable', collect)
    .option('--target <name>', 'only on this target; repeatable', collect)
    .option('--owner <name>', 'only resources of this owner; repeatable', collect)
    .option('--approval-role <name>', 'a role in approvals, as policies ask for it; repeatable', collect)
    .addOption(
      new Option('--expires <duration>', 'how long it is valid: 12h, 30d; at most 366d')
        .argParser(parseDuration)
        .default(90 * day, '90d'),
    )
    .option('--for <person>', 'e-mail address of its person; default: a machine', parsePerson)
    .option('--json', 'one JSON object on stdout')
    .action(async (_options: MakeOptions, command: Command) => {
      context.finish(await runMake(command.optsWithGlobals<MakeOptions>(), context));
    });

function parseName(text: string): string {
  if (/^[A-Za-z0-9][\w-]{0,62}$/.test(text)) return text;
  throw new InvalidArgumentError('Write 1 to 63 letters, digits, - or _, beginning with a letter or digit.');
}

function parsePerson(text: string): string {
  if (/^[^\p{C}]{1,300}$/u.test(text) && text.trim() === text) return text;
  throw new InvalidArgumentError('Write the name that commits and the ledger know them by: ann@acme.example');
}

async function runMake(options: MakeOptions, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  const draft = draftOf(options, clock.now());
  const { made, known } = await withCreatedStore(options.dir, context, async (store) => ({
    known: await store.estates.list(),
    made: await store.tokens.make(draft),
  }));
  if (options.json) printJson(terminal, { token: tokenJson(made.token, clock.now()), text: made.text });
  else printText(terminal, made.text);
  terminal.err.write(`${verdictOf(printable(made.token))}\n${strangersText(options.estate ?? [], printable(known))}`);
  return exitCodes.done;
}

/** An estate may come after the token that is for it, and a name may be mistyped: we cannot tell which. */
function strangersText(named: readonly string[], known: readonly string[]): string {
  const strangers = [...new Set(named)].filter((name) => !known.includes(name)).map((name) => `"${name}"`);
  if (strangers.length === 0) return '';
  const now = known.length === 0 ? 'None is known now.' : `Known now: ${known.join(', ')}.`;
  return `warning: The store knows no estate ${strangers.join(', ')}, so the token shows nothing there until it does. ${now}\n`;
}

function draftOf(options: MakeOptions, now: number): TokenDraft {
  const { name, role, estate: estates, target: targets, owner: owners, expires, approvalRole: approvalRoles } = options;
  if (approvalRoles !== undefined && !permissionsOf[role].includes('approve'))
    throw new UserError(`The role ${role} approves nothing.`, { next: 'Use: --role approver' });
  if (expires <= 0 || expires > longestMs)
    throw new UserError('A token is valid for a limited time, at most a year.', { next: 'Choose: --expires 90d' });
  return {
    name,
    grants: [bareGrant({ role, estates, targets, owners, approvalRoles })],
    expiresAt: now + expires,
    for: options.for,
    maker: { person: localUser(), identities: [] },
  };
}

function verdictOf({ id, name, grants, expiresAt, for: person }: Token): string {
  const holder = person === undefined ? '' : ` for ${person}`;
  const verdict = `Made: token ${name} (${id})${holder} · ${grantsText(grants)} · until ${formatMoment(expiresAt)} · shown this once`;
  const mayApprove = grants.some(({ role }) => permissionsOf[role].includes('approve'));
  if (person !== undefined || !mayApprove) return verdict;
  return `${verdict}\n  It has no person, so it cannot approve changes of people. To name a person: --for`;
}

const list = (context: Context): Command =>
  defineCommand('list', {
    group: 'Server',
    summary: 'list all tokens, newest first',
    examples: [['token list --json', 'for programs']],
  })
    .option('--json', 'one JSON object on stdout')
    .action(async (_options: Options, command: Command) => {
      context.finish(await runList(command.optsWithGlobals<Options>(), context));
    });

async function runList(options: Options, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  const tokens = await withExistingStore(options.dir, context, allOf);
  const now = clock.now();
  const live = tokens.filter((one) => tokenState(one, now) === 'live').length;
  if (options.json) printJson(terminal, { tokens: tokens.map((one) => tokenJson(one, now)) });
  else
    printText(
      terminal,
      `Tokens: ${count(tokens.length, 'token')}, ${live} live`,
      tokenTable(tokens, now, terminal.out.width),
    );
  return exitCodes.done;
}

async function allOf({ tokens }: Store): Promise<readonly Token[]> {
  const all: Token[] = [];
  for (;;) {
    const before = all.at(-1)?.id;
    const page = await tokens.list({ most: 500, before });
    all.push(...page);
    if (page.length < 500) return all;
  }
}

const revoke = (context: Context): Command =>
  defineCommand('revoke', {
    group: 'Server',
    summary: 'revoke a token: no process accepts it from then on',
    examples: [['token revoke 3f1c9a52b7e40d68', 'by the id that `token list` shows']],
  })
    .argument('<id>', 'its id, as `setpoint token list` shows it')
    .option('--json', 'one JSON object on stdout')
    .action(async (id: string, _options: Options, command: Command) => {
      context.finish(await runRevoke(id, command.optsWithGlobals<Options>(), context));
    });

async function runRevoke(id: string, options: Options, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  if (id.startsWith('setpoint_'))
    throw new UserError('That is a token, not its id. It is now visible in command lines.', {
      next: 'Revoke it by the 16 characters between its first and second _.',
    });
  const revoked = await withExistingStore(options.dir, context, ({ tokens }) => tokens.revoke(id, localUser()));
  if (revoked === undefined)
    throw new UserError('There is no token with that id.', { next: 'List the tokens: setpoint token list' });
  if (options.json) printJson(terminal, { token: tokenJson(revoked, clock.now()) });
  else printText(terminal, printable(`Revoked: token ${revoked.name} (${revoked.id})`));
  return exitCodes.done;
}

/** Tokens as lines for people, in the order given. */
export const tokenTable = (tokens: readonly Token[], now: number, width?: number): string =>
  table(
    ['ID', 'NAME', 'STATE', 'MAY', 'FOR', 'USED', 'MADE BY'],
    tokens.map((token) => [
      token.id,
      token.name,
      stateText(token, now),
      grantsText(token.grants),
      token.for ?? '-',
      token.usedAt === undefined ? 'never' : `${formatDuration(Math.max(0, now - token.usedAt))} ago`,
      token.maker.person,
    ]),
    width,
  );

/** `planner on estates: acme` */
const grantsText = (grants: readonly Grant[]): string =>
  grants
    .map(({ role, approvalRoles = [], ...bounds }) =>
      [role, ...approvalRolesText(approvalRoles), boundsText(bounds)].join(' '),
    )
    .join(', ');

const approvalRolesText = (names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`as ${names.join(', ')}`];

function stateText(token: Token, now: number): string {
  const end = formatMoment(token.revoked?.at ?? token.expiresAt);
  const state = tokenState(token, now);
  return state === 'live' ? `until ${end}` : `${state} ${end}`;
}

function tokenState({ revoked, expiresAt }: Token, now: number): 'live' | 'revoked' | 'expired' {
  if (revoked !== undefined) return 'revoked';
  return expiresAt > now ? 'live' : 'expired';
}

/** As the API shows it. */
const tokenJson = ({ maker, at, revoked, expiresAt, usedAt, ...token }: Token, now: number): object => ({
  ...token,
  state: tokenState({ ...token, maker, at, expiresAt, ...(revoked && { revoked }) }, now),
  createdAt: moment(at),
  createdBy: maker.person,
  expiresAt: moment(expiresAt),
  ...(revoked === undefined ? {} : { revokedAt: moment(revoked.at), revokedBy: revoked.person }),
  ...(usedAt === undefined ? {} : { lastUsedAt: moment(usedAt) }),
});

const moment = (at: number): string => new Date(at).toISOString();
