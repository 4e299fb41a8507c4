import type { Kind } from '../../src/core/resource.ts';
import type { Actuator, Call, Provider, Session } from '../../src/ports/provider.ts';
import type { Gate } from './gate.ts';

/** The same cloud, with gates around what is sent to it. */
export const gatedProvider = (provider: Provider, gate: Gate): Provider => ({
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
