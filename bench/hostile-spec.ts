import type { Figure } from './figure.ts';
import { attempt } from './hostile-spec/attempt.ts';
import { type Line, type Proposal, proposals } from './hostile-spec/proposals.ts';
import { inWorld } from './hostile-spec/world.ts';

/**
 * Pull requests that try for credentials, each planned as `setpoint plan --proposal` does beside specs in force, with real
 * providers on the sandbox. Asked: no request to where only they want to call, no value read, and none planned on other ground
 * than what is in force. One that ended otherwise than it should is told on stderr and counts as planned.
 */
export const hostileSpec = (
  rows: readonly Proposal[] = proposals,
  lines?: readonly Line[],
): Promise<readonly Figure[]> =>
  inWorld(async (world) => {
    const total = { requests: 0, values: 0, planned: 0 };
    for (const row of rows) {
      const haul = await attempt(row, world, lines);
      total.requests += haul.requests;
      total.values += haul.values;
      if (haul.ownGround || haul.ended !== row.want) {
        total.planned += 1;
        console.error(`${row.name}: ${haul.ended}, not ${row.want}: ${haul.why}`);
      }
    }
    const of = `of ${rows.length} proposals`;
    return [
      { name: 'hostile-spec-requests', value: total.requests, unit: `requests ${of}`, floor: 0 },
      { name: 'hostile-spec-values', value: total.values, unit: `values read ${of}`, floor: 0 },
      { name: 'hostile-spec-planned', value: total.planned, unit: of, floor: 0 },
    ];
  });
