import { describe, test } from 'node:test';
import type { Opened } from './harness.ts';
import { admissionLaws } from './laws/admission.ts';
import { colleagueLaws } from './laws/colleagues.ts';
import { creationLaws } from './laws/creation.ts';
import { deletionLaws } from './laws/deletion.ts';
import { failureLaws } from './laws/failures.ts';
import { listingLaws } from './laws/listing.ts';
import { markLaws } from './laws/marks.ts';
import { partLaws } from './laws/parts.ts';
import { spellingLaws } from './laws/spelling.ts';
import { trafficLaws } from './laws/traffic.ts';
import { updateLaws } from './laws/updates.ts';
import { openStage } from './stage.ts';
import type { Subject } from './subject.ts';

const laws = [
  ...creationLaws,
  ...markLaws,
  ...updateLaws,
  ...colleagueLaws,
  ...deletionLaws,
  ...listingLaws,
  ...failureLaws,
  ...admissionLaws,
  ...partLaws,
  ...spellingLaws,
  ...trafficLaws,
];

/**
 * Every law × every kind, each before a cloud of its own. `open` is asked once for each; `openSpelled` for the laws of spellings,
 * where what is said need not keep to a cloud's published definitions: Azure itself answers enumerations in another case.
 */
export function conformance(
  name: string,
  subject: Subject,
  open: () => Promise<Opened>,
  openSpelled: () => Promise<Opened> = open,
): void {
  describe(`conformance: ${name}`, { concurrency: 1 }, () => {
    for (const law of laws) {
      for (const kind of law.kinds(subject)) {
        test(`${kind}: ${law.name}`, async () => {
          const { harness, close } = await (spellingLaws.includes(law) ? openSpelled() : open());
          try {
            await law.hold(await openStage(harness, subject), kind);
          } finally {
            await close();
          }
        });
      }
    }
  });
}
