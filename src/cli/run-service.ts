import { once } from 'node:events';
import { Complaint } from './complaint.ts';
import type { Context } from './context.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import type { RunningFleet } from './house.ts';

export interface Service {
  /** Of a sentence: `The worker`. */
  readonly name: string;
  start(): Promise<RunningFleet>;
}

/** Until somebody stops it; then what runs is handed over. A first token is told on stdout, and nowhere else. */
export async function runService({ name, start }: Service, { terminal, stop }: Context): Promise<ExitCode> {
  const running = await start().catch((cause) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Complaint(`${name} cannot start.`, { why, cause });
  });
  const { firstToken, httpUrl = '' } = running;
  if (firstToken !== undefined) terminal.out.write(welcome(firstToken, httpUrl));
  if (!stop.aborted) await once(stop, 'abort');
  await running.stop();
  return exitCodes.done;
}

const welcome = (
  token: string,
  url: string,
): string => `The first token, of an admin, for 90 days. It is told this once:
  ${token}
Keep it for this machine, pasting it where it is asked for:
  setpoint login ${url}
`;
