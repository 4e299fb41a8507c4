import type { Knowledge } from '../core/knowledge.ts';
import type { Halt } from './halt.ts';
import type { EnginePorts, Site, Steering, Warrant } from './job.ts';
import type { LaunchChecks } from './launch-check.ts';
import type { Line } from './line.ts';
import type { Names } from './names.ts';
import type { Replays } from './replay.ts';
import type { Rooms } from './room.ts';

/** What all steps of one execution share. */
export interface Desk {
  readonly at: { readonly site: Site; readonly warrant: Warrant };
  readonly ports: EnginePorts;
  readonly known: {
    readonly knowledge: Knowledge;
    readonly names: Names;
    readonly rooms: Rooms;
    /** Launches that are sent again as they were recorded: whole, or not at all. */
    readonly replays: Replays;
  };
  /** What clouds said of machines that are to be made. */
  readonly launchChecks: LaunchChecks;
  readonly line: Line;
  readonly halt: Halt;
  readonly tell: Steering['tell'];
}
