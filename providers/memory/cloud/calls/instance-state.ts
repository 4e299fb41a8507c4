import type { Power } from '../records.ts';

export type InstanceState =
  | 'pending'
  | 'running'
  | 'stopping'
  | 'stopped'
  | 'shutting-down'
  | 'terminated'
  | 'forgotten';

/** Milliseconds. A dead machine stays listed for about an hour, as on EC2: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html */
const TAKES = { run: 5_000, stop: 10_000, terminate: 10_000, forget: 3_600_000 } as const;

/** A machine's state at `now`: a change of state takes time. */
export function stateOf({ sent, at }: Power, now: number): InstanceState {
  const age = now - at;
  switch (sent) {
    case 'run':
      return age < TAKES.run ? 'pending' : 'running';
    case 'stop':
      return age < TAKES.stop ? 'stopping' : 'stopped';
    case 'terminate':
      if (age < TAKES.terminate) return 'shutting-down';
      return age < TAKES.forget ? 'terminated' : 'forgotten';
  }
}
