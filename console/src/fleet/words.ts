import type { RateLimit, Scope } from '../api.d.ts';

type State = Scope['state'];

interface Look {
  readonly word: string;
  readonly tone: 'attention' | 'busy' | 'quiet';
  readonly strokes: string;
}

/** In the order of the screen: scopes that wait come first. */
export const stateLooks: Readonly<Record<State, Look>> = {
  waiting: {
    word: 'Waiting',
    tone: 'attention',
    strokes: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2 1.6',
  },
  running: { word: 'Running', tone: 'busy', strokes: 'M5.5 3.5l6.5 4.5l-6.5 4.5z' },
  held: { word: 'Held', tone: 'attention', strokes: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M5 8h6' },
  idle: { word: 'Idle', tone: 'quiet', strokes: 'M3 8h10' },
};

const order = Object.keys(stateLooks);

export const byState = (a: Scope, b: Scope): number =>
  order.indexOf(a.state) - order.indexOf(b.state) || (a.scope < b.scope ? -1 : 1);

type Wait = Scope['waitsFor'][number];

interface WaitWords {
  readonly text: string;
  /** Empty: none is known. */
  readonly reason: string;
  /** The command that shows the way on; empty: none is needed. */
  readonly next: string;
}

const modeWords = { healing: 'Healing is', rollout: 'Rollouts are', all: 'All changes are' } as const;

export function waitText(wait: Wait): WaitWords {
  switch (wait.type) {
    case 'quarantine':
      return {
        text: 'The end of its quarantine',
        reason: wait.reason ?? "Its reconciles failed in Setpoint's own code.",
        next: wait.next,
      };
    case 'lease':
      return { text: `The lease that ${wait.worker} holds`, reason: '', next: '' };
    case 'retry':
      return {
        text: `The next attempt after ${wait.failures} ${wait.failures === 1 ? 'failure' : 'failures'}`,
        reason: 'It comes by itself within 30 s.',
        next: '',
      };
    case 'worker':
      return { text: 'A free worker', reason: wait.reason ?? '', next: '' };
    case 'rate-limit':
      return { text: `The rate limit ${wait.key}, or another one that the request needs too`, reason: '', next: '' };
    case 'pause': {
      const of = wait.subject.type === 'estate' ? 'the estate' : `${wait.subject.type} ${wait.subject.name}`;
      return { text: `${modeWords[wait.mode]} paused for ${of} by ${wait.actor}`, reason: wait.reason, next: '' };
    }
    case 'rollout':
      return { text: `The stopped rollout of ${wait.document}`, reason: wait.reason, next: wait.next };
    case 'withheld': {
      const changes = `${wait.count} ${wait.count === 1 ? 'change' : 'changes'}`;
      const text = `${changes} ${wait.failed ? 'refused by the cloud' : 'withheld'} on ${wait.target}: ${wait.code}`;
      return { text, reason: wait.reason, next: wait.next };
    }
    case 'withheld-total': {
      const changes = wait.count === 1 ? '1 change is' : `${wait.count} changes are`;
      return { text: `In all, ${changes} withheld there or refused by the cloud`, reason: '', next: '' };
    }
    case 'interval':
      return { text: 'The next observation, at the latest', reason: '', next: '' };
  }
}

/** `40 of 81`; below nothing it is in debt. Without a size it is a share. */
export function unitsText({ remaining, units }: RateLimit): string {
  if (units === undefined) return `${Math.round(remaining * 100)} %`;
  const left = Math.floor(remaining * units);
  return left < 0 ? `${-left} in debt, of ${shortNumber(units)}` : `${left} of ${shortNumber(units)}`;
}

/** `18 per second, the next unit in 2 s`. Slowed by the cloud, the real gain is less, so no time is named. */
export function refillText({ remaining, units, perSecond, windowSeconds, slowedUntil }: RateLimit): string {
  if (windowSeconds !== undefined) return `within ${windowSeconds} s`;
  if (perSecond === undefined || units === undefined) return 'Not known';
  const gain =
    perSecond < 1 / 60 ? `${shortNumber(perSecond * 3600)} per hour` : `${shortNumber(perSecond)} per second`;
  const missing = 1 - remaining * units;
  if (missing <= 0) return gain;
  return slowedUntil === undefined
    ? `${gain}, the next unit in ${Math.ceil(missing / perSecond)} s`
    : `${gain} at full speed`;
}

const shortNumber = (value: number): string => `${Number(value.toPrecision(3))}`;
