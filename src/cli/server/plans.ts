import { randomUUID } from 'node:crypto';
import type { Problem } from '../../core/documents/problem.ts';
import type { SpecTree } from '../../ports/sources.ts';
import { namedFromHere } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import { exitCodes } from '../exit-code.ts';
import { problemText } from '../output/problems.ts';
import type { Client } from './client.ts';
import { planned, type ServerTold, type Told } from './planned.ts';
import { Refused } from './refusal.ts';
import { want } from './want.ts';

/** Specs to be planned beside those in force on a server. `dir`: goes before the paths of their files for people. */
export interface Posting {
  readonly dir: string;
  readonly tree: SpecTree;
  readonly estate: string | undefined;
  /** For whose repository they are; absent: the estate's own. */
  readonly team: string | undefined;
}

/** Planning takes a server longer than an answer out of its store. */
const planMs = 120_000;

export async function planOn(client: Client, { dir, tree, estate, team }: Posting): Promise<Told> {
  const body = {
    estate: estate ?? tree.estate?.value.metadata.name,
    specs: tree.files.map(({ path, text }) => ({ path, text })),
    userData: [...tree.userData].map(([path, { bytes }]) => ({ path, base64: bytes.toString('base64') })),
    team,
  };
  const told = await made(client, body, dir);
  refuseOverlay(told, tree, client.url);
  return { ...told, plans: told.plans.map((plan) => namedFromHere(plan, dir)) };
}

/** Of what is in force there. */
export const planInForceOn = (
  client: Client,
  { estate, target }: { readonly estate: string | undefined; readonly target: readonly string[] },
): Promise<ServerTold> =>
  made(client, { estate, inForce: true, ...(target.length === 0 ? {} : { targets: target }) }, '');

async function made(client: Client, body: object, dir: string): Promise<ServerTold> {
  try {
    const request = { method: 'POST', path: '/v1/plans', body, key: randomUUID(), atMostMs: planMs } as const;
    return await client.ask(request, planned);
  } catch (error) {
    throw error instanceof Refused ? unsound(error, dir) : error;
  }
}

/** A server reads specs with the overlay that is in force there, and with none where none is. */
function refuseOverlay({ bound }: Told, { overlay }: SpecTree, url: string): void {
  if (overlay === undefined || bound.revision.endsWith(`@${overlay}`)) return;
  throw new Complaint(`A plan cannot be made with the overlay ${overlay} at ${url}.`, {
    why: 'It reads specs with the overlay that is in force there, and that is another one or none.',
    next: 'Leave --overlay out.',
    code: exitCodes.refused,
  });
}

/** What is wrong with specs is told where it stands, as from here. */
function unsound(refused: Refused, dir: string): Complaint {
  const problems = problemsIn(refused.problem.body);
  if (problems.length === 0) return refused;
  const untrusted = problems.every(({ code }) => code === 'untrusted');
  return new Complaint(refused.problem.detail ?? refused.message, {
    where: `\n${problemText(problems, dir, (_, text) => text).trimEnd()}`,
    code: untrusted ? exitCodes.refused : exitCodes.error,
    cause: refused,
  });
}

const optional = want.maybe(want.text);
const listed = want.object({
  problems: want.list(
    want.object({
      severity: want.text,
      code: want.text,
      file: want.text,
      line: want.number,
      column: want.number,
      message: want.text,
      expected: optional,
      didYouMean: optional,
    }),
  ),
});

function problemsIn(body: unknown): readonly Problem[] {
  try {
    return listed(body, 'it').problems.map(({ severity, code, file, line, column, message, ...hint }) => ({
      severity: severity === 'warning' ? 'warning' : 'error',
      code,
      at: { file, line, column },
      message,
      hint,
    }));
  } catch {
    return [];
  }
}
