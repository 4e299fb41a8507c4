import { invalid, notFound, required } from '../errors.ts';
import { accessConfig, accessConfigMessage, freshExternalAddress } from '../instance.ts';
import { targetInstance, withNat } from '../instance-power.ts';
import { type Asked, type Context, type Method, write } from '../method.ts';
import { begin } from '../operation.ts';
import { pathTo } from '../place.ts';
import type { Project } from '../project.ts';
import type { Instance, Nic, Operation } from '../records.ts';

const INSTANCE = 'zones/{zone}/instances/{instance}';

/** The external address of an interface comes and goes with its access config. */
export const instanceAccessMethods: readonly Method[] = [
  write({
    id: 'compute.instances.addAccessConfig',
    verb: 'POST',
    path: `${INSTANCE}/addAccessConfig`,
    query: ['networkInterface'],
    run: (context, asked) => {
      const { project } = context;
      const instance = targetInterface(context, asked);
      const access = accessConfig(accessConfigMessage(asked.body ?? {}, 'resource'));
      if (instance.nic.access)
        throw invalid(
          'resource.networkInterfaces[0].accessConfigs',
          access.name,
          'At most one access config currently supported.',
        );
      const nic = { ...instance.nic, access };
      const natIp = instance.power.status === 'RUNNING' ? freshExternalAddress(project) : undefined;
      return changed(context, { instance, nic: withNat(nic, natIp), type: 'addAccessConfig' });
    },
  }),
  write({
    id: 'compute.instances.deleteAccessConfig',
    verb: 'POST',
    path: `${INSTANCE}/deleteAccessConfig`,
    query: ['accessConfig', 'networkInterface'],
    run: (context, asked) => {
      const instance = targetInterface(context, asked);
      const { accessConfig: name } = asked.query;
      if (!name) throw required('accessConfig');
      if (instance.nic.access?.name !== name)
        throw notFound(`${pathTo(context.project, instance.id)}/networkInterfaces/nic0/accessConfigs/${name}`);
      return changed(context, { instance, nic: { ...instance.nic, access: undefined }, type: 'deleteAccessConfig' });
    },
  }),
];

function targetInterface(context: Context, asked: Asked): Instance {
  const instance = targetInstance(context, asked);
  const { networkInterface: name } = asked.query;
  if (!name) throw required('networkInterface');
  if (name !== instance.nic.name) throw invalid('networkInterface', name, 'The network interface does not exist.');
  return instance;
}

interface Change {
  readonly instance: Instance;
  readonly nic: Nic;
  readonly type: string;
}

function changed(context: Context, { instance, nic, type }: Change): Operation {
  const { instances, durations }: Project = context.project;
  const finish = (): void => {
    instances.put({ ...instance, nic });
  };
  return begin(context, { type, target: instance, ms: durations.change, finish });
}
