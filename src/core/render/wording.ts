import type { Contested } from '../fights.ts';
import type { TouchedBy } from '../last-modified.ts';
import { baseRevision, besideText } from '../patch.ts';
import type { Held, PauseDraft } from '../pause.ts';
import type { Healing } from '../plan/healing.ts';
import type { DriftRemediation } from '../remediation.ts';

/** Times for people, of ms since the epoch, always UTC: `2026-12-01 08:00`, or to the second. */
export const bareMoment = (at: number, to: keyof typeof lengths = 'minute'): string =>
  new Date(at).toISOString().slice(0, lengths[to]).replace('T', ' ');

/** `2026-12-01 08:00 UTC` */
export const formatMoment = (at: number, to?: keyof typeof lengths): string => `${bareMoment(at, to)} UTC`;

const lengths = { minute: 16, second: 19 } as const;

const shown = 7;

/**
 * A revision for people: `folder 1a2b3c4` of a folder's hash, `commit 1a2b3c4` of a repository, `commit 1a2b3c4 + web 5d6e7f8` with
 * a team's beside it, ` (overlay prod)` where one lies over them, and `, patched` or `, in part ended`: see `besideText`.
 */
export function shortRevision(revision: string): string {
  const base = baseRevision(revision);
  const [whole = '', overlay] = base.split('@', 2);
  const [kind, rest = ''] = whole.includes(':') ? whole.split(':', 2) : ['git', whole];
  const [own = '', ...teams] = rest.split('+');
  const others = teams.map((team) => {
    const [name = '', hash = ''] = team.split('=', 2);
    return ` + ${name} ${hash.slice(0, shown)}`;
  });
  const named = `${kind === 'git' ? 'commit' : kind} ${own.slice(0, shown)}`;
  const over = overlay === undefined ? '' : ` (overlay ${overlay})`;
  return `${named}${others.join('')}${over}${besideText(revision)}`;
}

/** `everything of the estate`, `healing for owner team-web`, `rollout of the estate (incident db-outage)` */
export function heldText({ what, of, incident }: Held): string {
  const named = incident === undefined ? '' : ` (incident ${incident})`;
  if (of.by === 'estate') return `${what === 'all' ? 'everything of the estate' : `${what} of the estate`}${named}`;
  return `${what === 'all' ? 'everything' : what} for ${of.by} ${of.name}${named}`;
}

/** The work that a pause lets go on: `healing that only narrows traffic`. */
export function goesOnText({ what, letsNarrow }: Pick<PauseDraft, 'what' | 'letsNarrow'>): string {
  const narrowing = letsNarrow ? ['healing that only narrows traffic'] : [];
  switch (what) {
    case 'all':
      return narrowing[0] ?? 'nothing';
    case 'healing':
      return ['changes of the specs', ...narrowing].join(', and ');
    case 'rollout':
      return 'healing';
  }
}

/** When something was, for people: `3 min ago`. Given from outside: the core has no clock. */
export type Ago = (at: number) => string;

export const moment: Ago = (at) => `at ${formatMoment(at, 'second')}`;

/** `changed by arn:aws:iam::111122223333:user/bob (StopInstances from 203.0.113.9) 3 min ago` */
export const touchedText = ({ who, action, from, at }: TouchedBy, ago: Ago = moment): string =>
  `changed by ${who} (${action}${from === undefined ? '' : ` from ${from}`}) ${ago(at)}`;

/** `An event names arn:… (CreateTags) as the writer. It was healed 3 times since 2026-12-01 08:00 UTC.` */
export const writerText = ({ writer, times, since }: Pick<Contested, 'writer' | 'times' | 'since'>): string =>
  `${writer === undefined ? 'No event names the writer.' : `An event names ${writer.actor} (${writer.action}) as the writer.`} It was healed ${times} times since ${formatMoment(since)}.`;

/** `size is contested. An event names …` with the time of the next healing by workers. */
export const contestedText = (fight: Contested): string =>
  `${fight.field} is contested. ${writerText(fight)}${fight.workersUntil === undefined ? '' : ` Workers heal it again after ${formatMoment(fight.workersUntil, 'second')}.`}`;

/** `propose by Target aws-prod at aws.yaml:9` */
export const remediationText = ({
  value,
  document,
  file,
  line,
  previousGeneration,
}: Omit<DriftRemediation, 'category' | 'fields'>): string =>
  previousGeneration ? `${value} as in the previous generation` : `${value} by ${document} at ${file}:${line}`;

/** The fate of a change, as the end of a sentence. */
export const healingTexts = {
  undoes: 'healing undoes it',
  relaunches: 'healing launches a new machine',
  replaces: 'healing replaces the machine',
  deletes: 'healing deletes it',
  withheld: 'healing would undo it, and is withheld',
  none: 'Setpoint leaves it',
} as const satisfies Record<Healing, string>;

/** Of drift in a scope whose cloud sends events, where none of them fits. */
export const unheardText = 'nobody told: no event names this change';

/** Colours text, or does not: the CLI decides, by terminal and NO_COLOR. */
export type Paint = (style: Style, text: string) => string;
export type Style = 'add' | 'change' | 'remove' | 'note' | 'strong' | 'dim';

export const plain: Paint = (_style, text) => text;

/** The day in UTC of a time in ms since the epoch: `2027-01-31`, as specs write it. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
