import type { Kind } from '../../src/core/resource.ts';
import type { Actuator, Call, Session } from '../../src/ports/provider.ts';
import type { VirtualTime } from './time.ts';

/** The same session; while one of its requests is on its way, time stands still. Waiting for a budget is no request. */
export function busySession(session: Session, time: VirtualTime): Session {
  const { actuators, resume } = session;
  return {
    ...session,
    identify: (call) => session.identify(watched(call, time)),
    ...(resume === undefined ? {} : { resume: (kept, call) => resume(kept, watched(call, time)) }),
    actuators: {
      network: busyActuator(actuators.network, time),
      subnet: busyActuator(actuators.subnet, time),
      group: busyActuator(actuators.group, time),
      'firewall-rule': busyActuator(actuators['firewall-rule'], time),
      instance: busyActuator(actuators.instance, time),
    },
  };
}

function busyActuator<K extends Kind>(actuator: Actuator<K>, time: VirtualTime): Actuator<K> {
  return {
    list: (call) => actuator.list(watched(call, time)),
    read: (ids, call) => actuator.read(ids, watched(call, time)),
    create: (batch, call) => actuator.create(batch, watched(call, time)),
    update: (batch, call) => actuator.update(batch, watched(call, time)),
    delete: (batch, call) => actuator.delete(batch, watched(call, time)),
  };
}

/** From where a request is let go until it is reported; one is reported for each that is let go. */
function watched(call: Call, time: VirtualTime): Call {
  const ends: (() => void)[] = [];
  return {
    ...call,
    admit: async (request) => {
      await call.admit(request);
      ends.push(time.busy());
    },
    report: (request, answer) => {
      call.report(request, answer);
      ends.pop()?.();
    },
  };
}
