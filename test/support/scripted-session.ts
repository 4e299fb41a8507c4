import type { Result } from '../../src/core/failure.ts';
import { kindNames } from '../../src/core/kinds/kinds.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import type { Limiter } from '../../src/ports/limiter.ts';
import type { Actuator, Call, Creation, KeptOperation, Removal, Revision, Session } from '../../src/ports/provider.ts';

/** A cloud's answers, by kind and verb. Without a script it lists nothing, finds nothing, and no test may write to it. */
export interface Script {
  readonly account?: Result<string>;
  checkRegions?: Session['checkRegions'];
  list?(kind: Kind, call: Call): Promise<readonly Observed[]>;
  read?(kind: Kind, ids: readonly CloudId[]): Promise<readonly Result<Observed | undefined>[]>;
  create?(batch: readonly Creation[], call: Call): Promise<readonly Result<Observed>[]>;
  update?(batch: readonly Revision[], call: Call): Promise<readonly Result<void>[]>;
  delete?(batch: readonly Removal[], call: Call): Promise<readonly Result<void>[]>;
  outerFilters?: Session['outerFilters'];
  imageFacts?: Session['imageFacts'];
  resume?(kept: readonly KeptOperation[], call: Call): Promise<void>;
}

export function scriptedSession(script: Script): Session {
  const actuators = Object.fromEntries(kindNames.map((kind) => [kind, actuator(kind, script)]));
  return {
    scope: 'memory/acme/here',
    identify: async () => script.account ?? { ok: true, value: 'acme' },
    actuators: actuators as unknown as Session['actuators'], // why: one actuator for every kind, each made above
    ...(script.checkRegions === undefined ? {} : { checkRegions: script.checkRegions }),
    ...(script.outerFilters === undefined ? {} : { outerFilters: script.outerFilters }),
    ...(script.imageFacts === undefined ? {} : { imageFacts: script.imageFacts }),
    ...(script.resume === undefined ? {} : { resume: script.resume }),
    close: async () => undefined,
  };
}

const unscripted = (verb: string) => async () => {
  throw new Error(`nobody expected to ${verb}`);
};

function actuator(kind: Kind, script: Script): Actuator {
  return {
    async *list(call) {
      yield (await script.list?.(kind, call)) ?? [];
    },
    read: async (ids) => script.read?.(kind, ids) ?? ids.map(() => ({ ok: true, value: undefined })),
    create: script.create ?? unscripted('create'),
    update: script.update ?? unscripted('update'),
    delete: script.delete ?? unscripted('delete'),
  };
}

/** A limiter without limits. */
export const unlimited: Limiter = { take: async () => 0, slow: () => undefined, learn: () => undefined };
