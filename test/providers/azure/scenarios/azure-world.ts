import { azure } from '../../../../providers/azure/index.ts';
import type { Sandbox } from '../../../../sandbox/index.ts';
import { account, location, openAzureStage, resourceGroup } from '../../../support/azure-session.ts';
import { access, machineIn } from '../../../support/engine-world/documents.ts';
import { type EngineWorld, engineWorld, watched } from '../../../support/engine-world/engine-world.ts';

/** One subscription of the sandbox, and the whole engine before it. */
export interface AzureWorld extends EngineWorld {
  /** The API's own answer, as a colleague asks for it; a write is over when this returns. */
  ask(method: string, path: string, body?: object): Promise<Thing>;
}

/** The fields of any resource in an answer of Azure. */
interface Thing {
  readonly status: number;
  readonly id: string;
  readonly name: string;
  readonly location?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

export const here = {
  metadata: { name: 'here' },
  spec: { provider: 'azure', account, region: location, resourceGroup },
};

export const machine = machineIn({ image: 'Canonical:ubuntu-24_04-lts:server:latest', size: 'Standard_B2s', access });

const quietMs = 600_000;

/** `look`: called whenever somebody looks at the clock. */
export async function azureWorld(look: (sandbox: Sandbox) => void = () => undefined): Promise<AzureWorld> {
  const opened = await openAzureStage();
  const stage = watched(opened, () => look(opened.sandbox));
  const { url, control } = stage.sandbox;
  return {
    ...engineWorld({ provider: azure, here, quietMs }, stage),
    ask: async (method, path, body) => {
      const full = path.startsWith('/') ? path : `${ours}/Microsoft.${path}`;
      const version = full.includes('Microsoft.Compute') ? '2025-04-01' : '2026-01-01';
      const answer = await fetch(`${url}${full}?api-version=${version}`, {
        method,
        headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (method !== 'GET') control.clock.advance(quietMs);
      const text = await answer.text();
      return { ...(text === '' ? {} : JSON.parse(text)), status: answer.status };
    },
  };
}

const ours = `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers`;
