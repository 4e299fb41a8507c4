import { type Action, type Context, dryRun, read } from '../action.ts';
import { refused } from '../errors.ts';
import { ID } from '../ids.ts';
import { STATE_CODE, stateXml } from '../instance.ts';
import { listFields, page } from '../listing.ts';
import { flag, list, text } from '../query.ts';
import type { Instance } from '../records.ts';
import { el, set, wrap } from '../xml.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceStatus.html */
const MAX_IDS = 100;

export const describeInstanceStatus: Action = read({
  name: 'DescribeInstanceStatus',
  fields: { ...listFields, ...dryRun, InstanceId: list(text), IncludeAllInstances: flag },
  run: (context, input) => {
    if ((input.InstanceId?.length ?? 0) > MAX_IDS)
      throw refused('InvalidParameterValue', `At most ${MAX_IDS} instance IDs may be given`);
    const shown = (instance: Instance): boolean =>
      input.IncludeAllInstances === true || instance.power.state === 'running';
    const { records, nextToken } = page(context, input, input.InstanceId, {
      table: context.region.instances,
      filters: {
        'instance-state-name': (instance) => [instance.power.state],
        'instance-state-code': (instance) => [String(STATE_CODE[instance.power.state])],
        'availability-zone': (instance) => [instance.launch.place.zone],
        'instance-status.status': (instance) => [health(instance, context)],
        'system-status.status': (instance) => [systemHealth(instance, context)],
      },
      rules: { ids: ID.instance, max: 1000, idsExcludePages: 'instancesSet' },
    });
    return (
      set(
        'instanceStatusSet',
        records.filter(shown).map((instance) => statusXml(instance, context)),
      ) + el('nextToken', nextToken)
    );
  },
});

/**
 * A machine that runs is checked first after a while; one whose image is broken never passes its own check.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceStatusSummary.html
 */
function health({ power, launch }: Instance, context: Context): Health {
  const system = systemHealth({ power }, context);
  return system === 'ok' && context.region.images.get(launch.imageId)?.broken === 'impaired' ? 'impaired' : system;
}

function systemHealth({ power }: Pick<Instance, 'power'>, { region, now }: Context): Health {
  if (power.state !== 'running') return 'not-applicable';
  const { start, check } = region.durations;
  return now - power.startedAt < start + check ? 'initializing' : 'ok';
}

type Health = 'ok' | 'impaired' | 'initializing' | 'not-applicable';

const reachability: Readonly<Record<Health, string | undefined>> = {
  ok: 'passed',
  impaired: 'failed',
  initializing: 'initializing',
  'not-applicable': undefined,
};

function summaryXml(name: string, health: Health): string {
  const reached = reachability[health];
  const details = reached === undefined ? '' : set('details', [el('name', 'reachability') + el('status', reached)]);
  return wrap(name, el('status', health) + details);
}

const statusXml = (instance: Instance, context: Context): string =>
  el('instanceId', instance.id) +
  el('availabilityZone', instance.launch.place.zone) +
  stateXml('instanceState', instance.power.state) +
  summaryXml('systemStatus', systemHealth(instance, context)) +
  summaryXml('instanceStatus', health(instance, context));
