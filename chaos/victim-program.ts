import { readSync, writeSync } from 'node:fs';
import { runCli } from '../src/cli/program.ts';
import { onInterrupt, processTerminal } from '../src/cli/terminal.ts';
import type { Kind } from '../src/core/resource.ts';
import type { IntentDraft, Ledger } from '../src/ports/ledger.ts';
import type { Actuator, Call, Provider, Session } from '../src/ports/provider.ts';
import type { Store } from '../src/ports/store.ts';
import { clockAt } from './clock.ts';
import { dependenciesAt, type ProcessSettings } from './dependencies.ts';
import type { Catch, Failpoint } from './matrix.ts';

export interface Orders extends ProcessSettings {
  readonly catching: Catch;
}

/** As src/bootstrap/cli.ts composes the command line, with gates. */
export async function victim(args: readonly string[], { catching, ...settings }: Orders): Promise<number> {
  const dependencies = dependenciesAt(settings);
  const gate = gateOf(catching, holdForDirector);
  const interrupt = onInterrupt(process, () => process.exit(130));
  return runCli(
    args,
    {
      terminal: processTerminal(process),
      clock: clockAt(settings.pace),
      signal: interrupt.signal,
      dependencies: {
        ...dependencies,
        provider: async (cloud) => gatedProvider(await dependencies.provider(cloud), gate),
        openStore: async (folder, opening, say) => {
          const store = await dependencies.openStore(folder, opening, say);
          return store && gatedStore(store, gate);
        },
      },
    },
    'chaos',
  ).finally(interrupt.release);
}

/** Holds the process at its failpoint. `begun`: the first write of the caught kind has been answered. */
interface Gate {
  readonly catching: Catch;
  begun: boolean;
  /** Holds the process here, once, if this is the failpoint. */
  at(point: Failpoint): void;
}

function gateOf(catching: Catch, hold: () => void): Gate {
  let spent = false;
  return {
    catching,
    begun: false,
    at: (point) => {
      if (spent || point !== catching.at) return;
      spent = true;
      hold();
    },
  };
}

const wire = 3;

/**
 * Tells the director, and stands still until he answers: the whole process, with all its timers, as if it had been stopped
 * between two instructions.
 */
function holdForDirector(): void {
  writeSync(wire, '!');
  while (!answered());
}

function answered(): boolean {
  try {
    // why: nothing comes over a wire whose director is gone, and nobody would look after us any more
    if (readSync(wire, Buffer.alloc(1)) === 0) process.kill(process.pid, 'SIGKILL');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error;
  }
}

/** The same cloud, with gates around what is sent to it. */
const gatedProvider = (provider: Provider, gate: Gate): Provider => ({
  ...provider,
  open: async (access, clock) => gatedSession(await provider.open(access, clock), gate),
});

function gatedSession(session: Session, gate: Gate): Session {
  const { actuators } = session;
  return {
    ...session,
    actuators: {
      network: gatedActuator('network', actuators.network, gate),
      subnet: gatedActuator('subnet', actuators.subnet, gate),
      group: gatedActuator('group', actuators.group, gate),
      'firewall-rule': gatedActuator('firewall-rule', actuators['firewall-rule'], gate),
      instance: gatedActuator('instance', actuators.instance, gate),
    },
  };
}

function gatedActuator<K extends Kind>(kind: Kind, actuator: Actuator<K>, gate: Gate): Actuator<K> {
  const { catching } = gate;
  if (kind !== catching.kind) return actuator;
  const ifMeant = (verb: string, call: Call): Call => (verb === catching.verb ? gatedWrite(call, gate) : call);
  const polling = (polled: string): void => {
    if (gate.begun && catching.polled === polled) gate.at('while-polling');
  };
  return {
    list: (call) => {
      polling('look');
      return actuator.list(call);
    },
    read: (ids, call) => {
      polling('state');
      return actuator.read(ids, call);
    },
    create: (batch, call) => actuator.create(batch, ifMeant('create', call)),
    update: (batch, call) => actuator.update(batch, ifMeant('update', call)),
    delete: (batch, call) => actuator.delete(batch, ifMeant('delete', call)),
  };
}

/** The requests of one batch. Right after `admit` a request is sent: nothing else is checked on its way. */
function gatedWrite(call: Call, gate: Gate): Call {
  const { catching } = gate;
  let [sent, answered] = [0, 0];
  return {
    ...call,
    admit: async (request) => {
      if (request.mutating && answered >= catching.answered) gate.at('within-batch');
      if (!request.mutating && gate.begun && catching.polled === 'inside') gate.at('while-polling');
      await call.admit(request);
      if (!request.mutating) return;
      sent += 1;
      gate.at('before-sending');
      gate.at('before-answer');
    },
    report: (request, answer) => {
      call.report(request, answer);
      if (!request.mutating) return;
      answered += 1;
      gate.begun = true;
      if (answered >= catching.answered && sent > answered) gate.at('within-batch');
    },
  };
}

/** The same store, with gates around what is written to its ledger. */
const gatedStore = (store: Store, gate: Gate): Store => ({ ...store, ledger: gatedLedger(store.ledger, gate) });

function gatedLedger(ledger: Ledger, gate: Gate): Ledger {
  const { verb, kind, entry } = gate.catching;
  const isMeant = (draft: IntentDraft): boolean => draft.verb === verb && draft.subject.kind === kind;
  const meant = new Set<string>();
  return {
    ...ledger,
    intend: async (reconcile, drafts) => {
      if (!drafts.some(isMeant)) return ledger.intend(reconcile, drafts);
      gate.at('before-intent');
      if (entry === 'intent') gate.at('while-appending');
      const answers = await ledger.intend(reconcile, drafts);
      for (const answer of answers) if (answer.ok) meant.add(answer.intent);
      gate.at('after-intent');
      return answers;
    },
    settle: async (reconcile, settlements) => {
      if (!settlements.some(({ intent }) => meant.has(intent))) return ledger.settle(reconcile, settlements);
      gate.at('before-settlement');
      if (entry === 'settlement') gate.at('while-appending');
      await ledger.settle(reconcile, settlements);
      gate.at('after-settlement');
    },
  };
}
