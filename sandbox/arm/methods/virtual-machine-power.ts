import { trueRecord } from '../kind.ts';
import { changePower, type PowerAction } from '../machine-operation.ts';
import { type Method, method } from '../method.ts';
import { pathOf } from '../tracked-methods.ts';
import { machineKind } from './virtual-machine.ts';

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/power-off and its siblings */
export const virtualMachinePowerMethods: readonly Method[] = [
  powerMethod('start'),
  powerMethod('powerOff'),
  powerMethod('deallocate'),
  powerMethod('restart'),
];

/** Microsoft's table of rate limits does not list these: that of other changes to a machine is an assumption. */
function powerMethod(action: PowerAction): Method {
  return method({
    verb: 'POST',
    path: `/resourceGroups/{group}/providers/Microsoft.Compute/virtualMachines/{name}/${action}` as const,
    action: `virtualMachines.${action}`,
    rateLimit: 'UpdateVM',
    answer: (asked) => {
      const machine = trueRecord(asked, machineKind, pathOf(asked, machineKind));
      return { status: 202, headers: changePower(asked, machine, action) };
    },
  });
}
