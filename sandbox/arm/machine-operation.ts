import { refused } from './errors.ts';
import type { Asked } from './method.ts';
import { begin } from './operation.ts';
import type { VirtualMachine } from './records.ts';
import { nameOf } from './resource-id.ts';

/** A machine's etag counts: `"1"`, `"2"`. https://github.com/kubernetes-sigs/cloud-provider-azure/issues/9728 */
export function nextEtag(etag = '"0"'): string {
  return `"${Number(etag.replaceAll('"', '')) + 1}"`;
}

/** The preconditions of Microsoft.Compute: the same page has the text for `If-Match`; that for `If-None-Match` follows it. */
export function checkMachineConditions({ request }: Asked, known: VirtualMachine | undefined): void {
  const { 'if-match': must, 'if-none-match': mustNot } = request.headers;
  const etag = known?.version.etag;
  if (mustNot !== undefined && mustNot.trim() !== '*')
    throw refused('InvalidParameter', `The value '${mustNot}' of header If-None-Match is not supported; send '*'.`);
  if (mustNot !== undefined && known)
    throw refused('PreconditionFailed', `If-None-Match was '*', and resource ${known.path} exists with etag ${etag}.`);
  if (must === undefined || (known && must.trim() === '*')) return;
  if (etag === undefined)
    throw refused('PreconditionFailed', `Etag provided in if-match header ${must} does not match: no such resource.`);
  if (must.trim() !== etag)
    throw refused(
      'PreconditionFailed',
      `Etag provided in if-match header ${must} does not match etag ${etag} of resource.`,
    );
}

/** The machine after an operation; undefined: the operation deletes it. */
export interface Course {
  readonly ms: number;
  readonly succeed: (machine: VirtualMachine) => VirtualMachine | undefined;
  /** The machine after a fault made the operation fail; default: unchanged. */
  readonly fail?: (machine: VirtualMachine) => VirtualMachine;
}

/** Puts a machine that an operation now works on. Answers the operation's headers. */
export function operate(asked: Asked, machine: VirtualMachine, course: Course): Readonly<Record<string, string>> {
  const { machines } = asked.subscription;
  machines.put(machine);
  const ended = (after: VirtualMachine, state: 'Succeeded' | 'Failed'): void => {
    machines.put({ ...after, version: { ...after.version, state, changedAt: asked.now + course.ms } });
  };
  return begin(asked, {
    place: { namespace: 'Microsoft.Compute', location: machine.location },
    on: machine.id,
    ms: course.ms,
    succeed: () => {
      const current = machines.get(machine.id);
      const after = current && course.succeed(current);
      if (after) ended(after, 'Succeeded');
      else machines.remove(machine.id);
    },
    fail: () => {
      const current = machines.get(machine.id);
      if (current) ended((course.fail ?? same)(current), 'Failed');
    },
  });
}

function same(machine: VirtualMachine): VirtualMachine {
  return machine;
}

/** PUT and PATCH are followed by `Azure-AsyncOperation`, and the resource itself is the result. */
export function asyncOnly({
  location: _,
  ...headers
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return headers;
}

/**
 * One operation at a time on a machine.
 * https://github.com/Azure/azure-cli/issues/15765, https://learn.microsoft.com/azure/virtual-machines/error-codes
 */
export function refuseWhileOperating({ subscription }: Asked, machine: VirtualMachine, operation: string): void {
  if (!subscription.running.has(machine.id)) return;
  if (machine.version.state === 'Deleting')
    throw refused(
      'OperationNotAllowed',
      `Operation '${operation}' is not allowed on VM '${nameOf(machine.path)}' since the VM is marked for deletion. You can only retry the Delete operation (or wait for an ongoing one to complete).`,
    );
  throw refused(
    'Conflict',
    'The request failed due to conflict with a concurrent request. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.',
  );
}
