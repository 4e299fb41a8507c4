import { readBody } from '../body.ts';
import { type Kind, seenRecord, shown, trueRecord } from '../kind.ts';
import { placeOf } from '../location.ts';
import { invalid, type MachineForm, machineForm } from '../machine-fields.ts';
import { type Expand, instanceView, MACHINE_TYPE, machineBody, statusBody } from '../machine-json.ts';
import { launch } from '../machine-launch.ts';
import { asyncOnly, checkMachineConditions, refuseWhileOperating, remove } from '../machine-operation.ts';
import { update } from '../machine-update.ts';
import { type Asked, type Method, method, type Reply } from '../method.ts';
import { page } from '../paging.ts';
import type { VirtualMachine } from '../records.ts';
import { groupPath, keyOf } from '../resource-id.ts';

import { checkedTags } from '../tags.ts';
import { pathOf } from '../tracked-methods.ts';

const ALL = `/providers/${MACHINE_TYPE}` as const;

const IN_GROUP = `/resourceGroups/{group}${ALL}` as const;

const ONE = `${IN_GROUP}/{name}` as const;

export const machineKind: Kind<VirtualMachine> = {
  type: MACHINE_TYPE,
  table: ({ subscription }) => subscription.machines,
  renderer:
    ({ subscription }) =>
    (machine) =>
      machineBody(subscription, machine),
};

/** https://learn.microsoft.com/rest/api/compute/virtual-machines */
export const virtualMachineMethods: readonly Method[] = [
  method({
    verb: 'PUT',
    path: ONE,
    action: 'virtualMachines.createOrUpdate',
    rateLimit: 'PutVM',
    answer: (asked) => {
      const path = pathOf(asked, machineKind);
      const known = asked.subscription.machines.get(keyOf(path));
      checkMachineConditions(asked, known);
      const form = readBody(asked.request.body, machineForm);
      if (!known) return made(asked, path, 201, launch(asked, path, form));
      refuseWhileOperating(asked, known, 'createOrUpdate');
      placeOf({ location: form.location, known, path });
      return made(asked, path, 200, update(asked, { machine: known, form, tags: checkedTags(form.tags) }));
    },
  }),
  method({
    verb: 'PATCH',
    path: ONE,
    action: 'virtualMachines.update',
    rateLimit: 'UpdateVM',
    answer: (asked) => {
      const path = pathOf(asked, machineKind);
      const machine = trueRecord(asked, machineKind, path);
      checkMachineConditions(asked, machine);
      refuseWhileOperating(asked, machine, 'update');
      const form = readBody(asked.request.body, machineForm);
      const tags = form.tags ? checkedTags(form.tags) : machine.tags;
      const merged = { ...form, identity: mergedIdentity(form.identity, machine) };
      return made(asked, path, 200, update(asked, { machine, form: merged, tags }));
    },
  }),
  method({
    verb: 'GET',
    path: ONE,
    action: 'virtualMachines.get',
    rateLimit: 'LowCostGet',
    answer: (asked) => {
      const expand = expandOf(asked);
      const machine = seenRecord(asked, machineKind, pathOf(asked, machineKind));
      return {
        status: 200,
        body: machineBody(asked.subscription, machine, expand),
        headers: { etag: machine.version.etag },
      };
    },
  }),
  method({
    verb: 'GET',
    path: `${ONE}/instanceView`,
    action: 'virtualMachines.instanceView',
    rateLimit: 'LowCostGet',
    answer: (asked) => {
      const machine = seenRecord(asked, machineKind, pathOf(asked, machineKind));
      return { status: 200, body: instanceView(asked.subscription, machine) };
    },
  }),
  method({
    verb: 'GET',
    path: IN_GROUP,
    action: 'virtualMachines.list',
    rateLimit: 'HighCostGet',
    answer: (asked) => {
      const prefix = `${keyOf(groupPath(asked.subscription.id, asked.parameters.group))}/`;
      return listed(asked, ({ id }) => id.startsWith(prefix));
    },
  }),
  method({
    verb: 'GET',
    path: ALL,
    action: 'virtualMachines.listAll',
    rateLimit: 'HighCostGet',
    answer: (asked) => listed(asked, () => true),
  }),
  method({
    verb: 'DELETE',
    path: ONE,
    action: 'virtualMachines.delete',
    rateLimit: 'DeleteVM',
    answer: (asked) => {
      const machine = asked.subscription.machines.get(keyOf(pathOf(asked, machineKind)));
      return machine ? { status: 202, headers: remove(asked, machine) } : { status: 204 };
    },
  }),
];

function made(asked: Asked, path: string, status: 200 | 201, headers: Readonly<Record<string, string>>): Reply {
  const machine = trueRecord(asked, machineKind, path);
  return shown(asked, machineKind, { record: machine, status, headers: asyncOnly(headers) });
}

/** A PATCH adds identities to those that are there, and takes away those that it sets to null. */
function mergedIdentity(form: MachineForm['identity'], { settings }: VirtualMachine): MachineForm['identity'] {
  if (!form) return undefined;
  const known = [...(settings.identity?.users ?? [])].map(([path]): [string, unknown] => [path, {}]);
  const given = [...(form.userAssignedIdentities ?? [])];
  const rest = known.filter(([path]) => !given.some(([each]) => keyOf(each) === keyOf(path)));
  return {
    ...form,
    type: (form.type ?? known.length > 0) ? (form.type ?? 'UserAssigned') : undefined,
    userAssignedIdentities: new Map([...rest, ...given]),
  };
}

function expandOf({ request }: Asked): Expand {
  const written = request.query['$expand'];
  if (written === undefined || written === 'instanceView' || written === 'userData') return written;
  throw invalid('$expand', `The value '${written}' of parameter $expand is invalid.`);
}

/**
 * A listing tells power states with `statusOnly=true` alone: `$expand=instanceView` "can only be specified if a valid $filter
 * option is specified", and a filter names a scale set, of which there are none here.
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/list-all
 */
function listed(asked: Asked, among: (machine: VirtualMachine) => boolean): Reply {
  const { subscription, request } = asked;
  const filter = request.query['$filter'];
  if (expandOf(asked) !== undefined && filter === undefined)
    throw invalid(
      '$expand',
      'The expand expression instanceView can only be specified if a valid $filter is specified.',
    );
  if (filter !== undefined && !/^'?virtualMachineScaleSet\/id'? eq /i.test(filter))
    throw invalid('$filter', `The value '${filter}' of parameter $filter is invalid.`);
  const statusOnly = request.query['statusonly']?.toLowerCase() === 'true';
  const render = (machine: VirtualMachine): object =>
    statusOnly ? statusBody(machine) : machineBody(subscription, machine);
  const wanted = filter === undefined ? among : () => false;
  return page(asked, { kind: 'machines', items: subscription.machines.seen(), render, among: wanted });
}
