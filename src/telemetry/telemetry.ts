import type { Progress } from '../engine/ports.ts';
import type { Log } from '../ports/log.ts';
import type { Samples, Telemetry } from '../ports/telemetry.ts';
import { instruments } from './instruments.ts';
import { cloudOf, laneLabels } from './lane-labels.ts';
import { watchPass } from './pass-watch.ts';
import { sampled } from './sampled.ts';

/** What is told, and what is shown of it. */
export interface Told {
  readonly telemetry: Telemetry<Progress>;
  /** The text that Prometheus collects, and its content type. Asks the samples. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

export interface TelemetryOptions {
  readonly log: Log;
  /** Absent: there is nothing to ask. */
  readonly samples?: Samples;
  readonly monotonic?: () => number;
}

/** One for a process: metrics are of all that it did. */
export function createTelemetry({ log, samples, monotonic = () => performance.now() }: TelemetryOptions): Told {
  const measured = instruments();
  const { registry, leasesHeld, leasesLost, waits, throttles } = measured;
  if (samples) sampled({ registry, samples, log, withinMs: 2000 });
  return {
    telemetry: {
      log,
      budgets: {
        waited: (key, ms) => waits.observe(laneLabels(key), ms / 1000),
        throttled: (key) => throttles.inc(laneLabels(key)),
      },
      pass: (about) => watchPass(about, { log, instruments: measured, monotonic }),
      lease: (scope, change) => {
        const cloud = cloudOf(scope);
        leasesHeld.inc({ cloud }, change === 'taken' ? 1 : -1);
        if (change === 'lost') leasesLost.inc({ cloud });
      },
    },
    metrics: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
