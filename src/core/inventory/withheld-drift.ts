import type { WithholdCode } from '../action.ts';
import { listed } from '../text.ts';
import type { Row, Status } from './row.ts';

/** Resources that drifted and that no worker heals before a person acts. */
export interface WithheldDrift {
  /** The code of the reason, as a finding has it. */
  readonly code: string;
  /** The number of resources that wait for the same. */
  readonly count: number;
  /** The command that lets them pass, or that tells of the way where no command does. */
  readonly next: string;
  /** The people and programs that changed them, each once, the newest change first; absent: no event names any. */
  readonly actors?: readonly string[];
}

/** The statuses that a row with withheld drift may have. */
export const withheldStatuses: readonly Status[] = ['Drifted', 'Missing', 'Blocked', 'Paused'];

/** True where the cloud moved behind our back, whatever its status. The store has the same condition: see `RowWords.drift`. */
export const isDrift = ({ state: { status }, sides: { next } }: Row): boolean =>
  status === 'Drifted' || status === 'Missing' || next?.cause === 'drift';

/** Counts the rows by reason and command, the most frequent first. */
export function withheldDriftIn(rows: readonly Row[]): readonly WithheldDrift[] {
  const held = rows.filter(({ sides: { next } }) => next?.cause === 'drift' && next.held !== undefined);
  const groups = Map.groupBy(held, (row) => `${row.state.code ?? 'held'} ${nextCommand(row)}`);
  return [...groups.values()]
    .flatMap((alike): readonly WithheldDrift[] => {
      const [first] = alike;
      return first === undefined
        ? []
        : [{ code: first.state.code ?? 'held', count: alike.length, next: nextCommand(first), ...actorsOf(alike) }];
    })
    .toSorted((a, b) => b.count - a.count);
}

function actorsOf(rows: readonly Row[]): Pick<WithheldDrift, 'actors'> {
  const changes = rows.flatMap(({ state: { by } }) => by ?? []).toSorted((a, b) => b.at - a.at);
  return changes.length === 0 ? {} : { actors: [...new Set(changes.map(({ who }) => who))] };
}

const approve = 'setpoint approve --reason "…"';

/** The command that lets a withheld change pass, or that shows the way where no command does. */
export function nextCommand({ key, called, state, sides }: Row): string {
  const name = called.address ?? called.id ?? key;
  const explain = `setpoint explain ${name}`;
  // why: rows keep codes of other findings too, and of other versions
  const code = state.code as WithholdCode | undefined;
  switch (code) {
    case 'approvals':
      return approve;
    case 'mode':
    case 'limit':
      return sides.desired?.mode === 'observe' ? explain : approve;
    case 'destructive-drift':
    case 'remediation':
    case 'contested':
      return `setpoint approve --address ${name} --reason "…"`;
    case 'paused':
    case 'grace':
    case 'window':
    case 'freeze':
    case 'rollout-stopped':
    case 'failed-launches':
      return 'setpoint status';
    default:
      return explain;
  }
}

/**
 * One line for people; undefined where nothing is withheld. At most three groups of resources are listed. `complete`: adds to a command
 * the options of this estate.
 */
export function withheldText(
  withheld: readonly WithheldDrift[],
  complete: (line: string) => string = (line) => line,
): string | undefined {
  if (withheld.length === 0) return undefined;
  const groups = withheld.slice(0, mostGroups).map(({ code, count, next, actors = [] }) => {
    return `${count} ${count === 1 ? 'resource' : 'resources'} by ${code}${actorsText(actors)}: ${complete(next)}`;
  });
  const rest = withheld.slice(mostGroups).reduce((sum, { count }) => sum + count, 0);
  return `Withheld drift: ${[...groups, ...(rest === 0 ? [] : [`${rest} more: ${complete('setpoint inventory')}`])].join(' · ')}`;
}

const actorsText = (actors: readonly string[]): string =>
  actors.length === 0 ? '' : ` (changed by ${listed(actors, mostActors)})`;

const mostGroups = 3;
const mostActors = 2;
