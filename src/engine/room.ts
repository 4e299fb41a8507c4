import type { Desired } from '../core/desired.ts';
import type { Failure } from '../core/failure.ts';

/** What a pass has learnt of a quota: the refusal of one more, once there was one. From then on nothing like it is sent. */
export interface Room {
  refusal: Failure | undefined;
}

/** The room for one thing: shared by machines of one size in one place and subnet; any others may fit where these do not. */
export type Rooms = (desired: Desired) => Room;

export function roomsOf(): Rooms {
  const rooms = new Map<string, Room>();
  return (desired) => {
    const room: Room = { refusal: undefined };
    const key = keyOf(desired);
    if (key === undefined) return room;
    const known = rooms.get(key) ?? room;
    rooms.set(key, known);
    return known;
  };
}

function keyOf({ kind, address, attributes }: Desired): string | undefined {
  if (kind !== 'instance' || !('machine' in attributes)) return undefined;
  const place = address.slice(0, address.lastIndexOf('/'));
  return JSON.stringify([place, attributes.machine.size, attributes.placement.subnet]);
}
