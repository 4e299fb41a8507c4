import { type Action, dryRun, read } from '../action.ts';
import { refused } from '../errors.ts';
import { ID } from '../ids.ts';
import { stateXml } from '../instance-xml.ts';
import { listFields } from '../list-fields.ts';
import { page } from '../listing.ts';
import { STATE_CODE } from '../power.ts';
import type { Instance } from '../records.ts';
import { flag, list, text } from '../wire/fields.ts';
import { el, set, wrap } from '../wire/xml.ts';

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
        'instance-status.status': (instance) => [health(instance)],
        'system-status.status': (instance) => [health(instance)],
      },
      rules: { ids: ID.instance, max: 1000, idsExcludePages: 'instancesSet' },
    });
    return set('instanceStatusSet', records.filter(shown).map(statusXml)) + el('nextToken', nextToken);
  },
});

function health({ power }: Instance): string {
  return power.state === 'running' ? 'ok' : 'not-applicable';
}

function statusXml(instance: Instance): string {
  const status = el('status', health(instance));
  const details =
    health(instance) === 'ok' ? set('details', [el('name', 'reachability') + el('status', 'passed')]) : '';
  return (
    el('instanceId', instance.id) +
    el('availabilityZone', instance.launch.place.zone) +
    stateXml('instanceState', instance.power.state) +
    wrap('systemStatus', status + details) +
    wrap('instanceStatus', status + details)
  );
}
