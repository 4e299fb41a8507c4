import { gcp } from '../../../../providers/gcp/index.ts';
import type { Sandbox } from '../../../../sandbox/index.ts';
import { machineIn } from '../../../support/engine-world/documents.ts';
import { type EngineWorld, engineWorld, watched } from '../../../support/engine-world/engine-world.ts';
import { askAsColleague, openGcpStage, project, region, zone } from '../../../support/gcp-session.ts';

/** One project of the Compute sandbox, and the whole engine before it. */
export interface GcpWorld extends EngineWorld {
  /** The API's own answer, as a colleague asks for it; a write is over when this returns. */
  ask<T = Named>(method: string, path: string, body?: object): Promise<Answer<T>>;
}

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

interface Named {
  readonly id: string;
}

export const here = {
  metadata: { name: 'here' },
  spec: { provider: 'gcp', account: project, region, zone },
};

export const image = 'projects/debian-cloud/global/images/family/debian-12';
export const machine = machineIn({ image, size: 'e2-small' });

const quietMs = 60_000;

/** `look`: called whenever somebody looks at the clock. */
export async function gcpWorld(look: (sandbox: Sandbox) => void = () => undefined): Promise<GcpWorld> {
  const opened = await openGcpStage();
  const stage = watched(opened, () => look(opened.sandbox));
  const { url, control } = stage.sandbox;
  return {
    ...engineWorld({ provider: gcp, here, quietMs }, stage),
    ask: async <T>(method: string, path: string, body?: object) => {
      const answer = await askAsColleague<T>(url, method, path, body);
      if (method !== 'GET') control.clock.advance(quietMs);
      return answer;
    },
  };
}
